// breaks style/noDefaultExport
export default function unnamed() {}

/** An absolute path as servers are told of it. Paths of both kinds of systems are understood wherever this runs. */
export function toFileUri(path: string): string {
  const drive = /^[A-Za-z]:[\\/]/.test(path);
  const share = path.startsWith("\\\\");
  const slashed = drive || share ? path.replaceAll("\\", "/") : path;
  // What no text of Unicode can hold stands for nothing that could be looked up.
  const encoded = encodeURI(slashed.replace(/\p{Surrogate}/gu, "\u{fffd}")).replace(/[?#]/g, encodeURIComponent);
  if (share) return `file:${encoded}`;
  return `file://${drive ? "/" : ""}${encoded}`;
}

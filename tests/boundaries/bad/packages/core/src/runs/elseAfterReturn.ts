// breaks style/noUselessElse, style/useFilenamingConvention
export function size(text: string): string {
  if (text === "") {
    return "empty";
  } else {
    return "full";
  }
}

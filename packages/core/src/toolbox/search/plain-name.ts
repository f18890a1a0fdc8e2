/** A name as people remember it: `read_file`, `readFile` and `Read File` are one. Empty when it has no letter or digit. */
export function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

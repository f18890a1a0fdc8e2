/** Normalises a name: `read_file`, `readFile` and `Read File` become equal. Empty if it has no letter or digit. */
export function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

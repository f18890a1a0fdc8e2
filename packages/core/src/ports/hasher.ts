/** Lower-case hexadecimal SHA-256 of the text's UTF-8 bytes. */
export interface Hasher {
  sha256(text: string): Promise<string>;
}

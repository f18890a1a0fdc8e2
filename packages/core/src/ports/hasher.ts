/** Computes the SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal. */
export interface Hasher {
  sha256(text: string): Promise<string>;
}

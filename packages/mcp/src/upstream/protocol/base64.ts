/** Base64 of the UTF-8 bytes; plain btoa throws beyond Latin-1. */
export function base64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

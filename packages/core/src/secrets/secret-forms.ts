/** Returns the forms in which a secret may appear: as it is, URL-encoded, JSON-escaped and in base64. */
export function formsOf(secret: string): string[] {
  const base64 = toBase64(secret).replace(/=+$/, "");
  const urlSafe = base64.replaceAll("+", "-").replaceAll("/", "_");
  const escaped = escapeText(secret);
  // Python and others write JSON like this.
  const ascii = escaped.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Servers that echo a request put JSON into JSON, and URLs into URLs.
  return [secret, escaped, escapeText(escaped), ascii, base64, urlSafe, ...urlForms(secret)];
}

function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function urlForms(secret: string): string[] {
  // A lone surrogate has no URL encoding.
  if (/\p{Surrogate}/u.test(secret)) return [];
  const encoded = encodeURIComponent(secret);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  return [encoded, lowerCase, form, encodeURI(secret), encodeURIComponent(encoded)];
}

export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Returns the forms in which a secret may appear: as it is, URL-encoded, JSON-escaped, in base64, and in the base64 of a
 * longer text.
 */
export function formsOf(secret: string): string[] {
  const base64 = [toBase64(secret).replace(/=+$/, ""), ...insideBase64(secret)];
  const urlSafe = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const escaped = escapeText(secret);
  // Python and others write JSON like this.
  const ascii = escaped.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Servers that echo a request put JSON into JSON, and URLs into URLs.
  return [secret, escaped, escapeText(escaped), ascii, ...base64, ...urlSafe, ...urlForms(secret)];
}

/** Shorter pieces of base64 occur by chance. */
const MIN_BASE64_LENGTH = 8;

/**
 * Base64 turns three bytes into four characters, so a secret inside a longer text is written in one of three ways,
 * depending on how many bytes precede it. Its first and last characters may be shared with its neighbours.
 */
function insideBase64(secret: string): string[] {
  const length = new TextEncoder().encode(secret).length;
  return [0, 1, 2]
    .map((before) =>
      toBase64(`${"\0".repeat(before)}${secret}`).slice(
        Math.ceil((before * 8) / 6),
        Math.floor(((before + length) * 8) / 6),
      ),
    )
    .filter((text) => text.length >= MIN_BASE64_LENGTH);
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

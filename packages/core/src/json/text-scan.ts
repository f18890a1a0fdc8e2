const BACKSLASH = 0x5c;

/** The index after the JSON string that begins with the quote at `start`; the end of `json` if it is never closed. */
export function afterText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

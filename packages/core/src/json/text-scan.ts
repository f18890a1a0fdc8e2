const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** After this many plain characters a string is likely to be long, and searching is faster than looking at each. */
const LOOKED_AT = 64;

/** The index after the JSON string that begins with the quote at `start`; the end of `json` if it is never closed. */
export function afterText(json: string, start: number): number {
  let plain = 0;
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) {
      at += 1;
      plain = 0;
    } else {
      plain += 1;
      if (plain < LOOKED_AT) continue;
      plain = 0;
      const quote = json.indexOf('"', at + 1);
      if (quote === -1) return json.length;
      if (!isEscaped(json, quote)) return quote + 1;
      at = quote;
    }
  }
  return json.length;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

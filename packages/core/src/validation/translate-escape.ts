export type Escape =
  | { readonly kind: "character"; readonly code: number; readonly end: number }
  /** A set of characters or, outside a class, also an assertion such as `\b`. */
  | { readonly kind: "set"; readonly text: string; readonly end: number };

const CONTROLS = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
]);

/** ECMAScript counts more characters as white space than RE2 does. */
const SPACES = "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NO_SPACES =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}" +
  "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

/** General categories by their long names; the short names are the same in both syntaxes. */
const CATEGORIES = new Map([
  ["Letter", "L"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["Punctuation", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
]);

/** Reads the escape that starts at `index`; returns undefined if RE2 has no equivalent. */
export function translateEscape(source: string, index: number, place: "outside" | "in-class"): Escape | undefined {
  const sign = source[index + 1] ?? "";
  const end = index + 2;
  const control = CONTROLS.get(sign);
  if (control !== undefined) return { kind: "character", code: control, end };
  if (sign === "b" && place === "in-class") return { kind: "character", code: 8, end };
  if (sign === "s" || sign === "S") {
    const members = sign === "s" ? SPACES : NO_SPACES;
    return { kind: "set", text: place === "outside" ? `[${members}]` : members, end };
  }
  if (/^[dDwW]$/.test(sign) || (/^[bB]$/.test(sign) && place === "outside"))
    return { kind: "set", text: `\\${sign}`, end };
  if (sign === "p" || sign === "P") return translateProperty(source, index);
  return readCharacter(source, index);
}

function translateProperty(source: string, index: number): Escape | undefined {
  const property = /^\\([pP])\{(?:(?:Script|sc)=([A-Za-z_]+)|(?:(?:General_Category|gc)=)?([A-Za-z_]+))\}/.exec(
    source.slice(index, index + 60),
  );
  if (property === null) return undefined;
  const [whole, sign, script, category = ""] = property;
  const name = script ?? CATEGORIES.get(category) ?? category;
  // A bare longer name is a script in RE2, but a binary property such as `Alphabetic` in ECMAScript.
  if (script === undefined && name.length > 2) return undefined;
  return { kind: "set", text: `\\${sign}{${name}}`, end: index + whole.length };
}

const CHARACTER =
  /^\\(?:x([0-9A-Fa-f]{2})|u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]+)\}|c([A-Za-z])|(0)(?!\d)|([^A-Za-z0-9]))/iu;

function readCharacter(source: string, index: number): Escape | undefined {
  const read = CHARACTER.exec(source.slice(index, index + 20));
  if (read === null) return undefined;
  const [whole, byte, high, low, unit, point, control, zero, itself] = read;
  const end = index + whole.length;
  if (high !== undefined && low !== undefined)
    return { kind: "character", code: 0x10000 + ((hex(high) & 0x3ff) << 10) + (hex(low) & 0x3ff), end };
  const code = byte ?? unit ?? point;
  if (code !== undefined) return { kind: "character", code: hex(code), end };
  if (control !== undefined) return { kind: "character", code: control.charCodeAt(0) % 32, end };
  if (zero !== undefined) return { kind: "character", code: 0, end };
  return { kind: "character", code: itself?.codePointAt(0) ?? 0, end };
}

function hex(digits: string): number {
  return Number.parseInt(digits, 16);
}

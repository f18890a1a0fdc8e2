import { translateEscape } from "./translate-escape.ts";

const EVERY_CHARACTER = "\\x{0}-\\x{10FFFF}";
const NOT_A_LINE_END = "[^\\n\\r\\x{2028}\\x{2029}]";

/**
 * Translates an ECMAScript regular expression, which JSON Schema uses, to RE2 syntax with the same meaning.
 * Returns undefined if it uses what RE2 cannot do in linear time (lookaround, backreferences) or unknown syntax.
 * `source` must be one that `RegExp` accepts.
 */
export function translatePattern(source: string): string | undefined {
  let written = "";
  for (let index = 0; index < source.length; ) {
    const piece = translatePiece(source, index);
    if (piece === undefined) return undefined;
    written += piece.text;
    index = piece.end;
  }
  return written;
}

interface Piece {
  readonly text: string;
  readonly end: number;
}

function translatePiece(source: string, index: number): Piece | undefined {
  const character = String.fromCodePoint(source.codePointAt(index) ?? 0);
  switch (character) {
    case "\\": {
      const escaped = translateEscape(source, index, "outside");
      return escaped && { text: escaped.kind === "character" ? literal(escaped.code) : escaped.text, end: escaped.end };
    }
    case "[":
      return translateClass(source, index);
    case "(":
      return translateGroup(source, index);
    case ".":
      return { text: NOT_A_LINE_END, end: index + 1 };
    case "{":
      return translateBrace(source, index);
    case "^":
    case "$":
    case "*":
    case "+":
    case "?":
    case "|":
    case ")":
      return { text: character, end: index + 1 };
    default:
      return { text: literal(character.codePointAt(0) ?? 0), end: index + character.length };
  }
}

/** What a group matched is never used, so all groups become non-capturing. */
function translateGroup(source: string, index: number): Piece | undefined {
  const opening = /^\((?:\?:|\?<[\p{L}$_][\p{L}\p{N}$_]*>|(?!\?))/u.exec(source.slice(index, index + 200));
  return opening === null ? undefined : { text: "(?:", end: index + opening[0].length };
}

/** Without the `u` flag, a brace that is not a quantifier is a literal brace. */
function translateBrace(source: string, index: number): Piece {
  const count = /^\{\d+(?:,\d*)?\}/.exec(source.slice(index, index + 40));
  return count === null ? { text: "\\{", end: index + 1 } : { text: count[0], end: index + count[0].length };
}

type Member =
  | { readonly kind: "character"; readonly code: number; readonly end: number }
  | { readonly kind: "set"; readonly text: string; readonly end: number };

function translateClass(source: string, start: number): Piece | undefined {
  const isNegated = source[start + 1] === "^";
  let index = start + (isNegated ? 2 : 1);
  let members = "";
  while (source[index] !== "]") {
    const from = readMember(source, index);
    if (from === undefined) return undefined;
    index = from.end;
    const to = source[index] === "-" && source[index + 1] !== "]" ? readMember(source, index + 1) : undefined;
    if (from.kind === "character" && to?.kind === "character") {
      members += `${literal(from.code)}-${literal(to.code)}`;
      index = to.end;
      continue;
    }
    members += from.kind === "character" ? literal(from.code) : from.text;
  }
  if (members !== "") return { text: `[${isNegated ? "^" : ""}${members}]`, end: index + 1 };
  return { text: isNegated ? `[${EVERY_CHARACTER}]` : `[^${EVERY_CHARACTER}]`, end: index + 1 };
}

function readMember(source: string, index: number): Member | undefined {
  const code = source.codePointAt(index);
  if (code === undefined) return undefined;
  if (source[index] === "\\") return translateEscape(source, index, "in-class");
  return { kind: "character", code, end: index + (code > 0xffff ? 2 : 1) };
}

function literal(code: number): string {
  const character = String.fromCodePoint(code);
  return /^[A-Za-z0-9_]$/.test(character) ? character : `\\x{${code.toString(16)}}`;
}

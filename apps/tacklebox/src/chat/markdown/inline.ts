import type { Colour } from "../../output/colour.ts";

/** A piece of a line in one style. */
export interface StyledRun {
  readonly text: string;
  readonly style?: Colour;
}

export interface ReadInline {
  readonly runs: readonly StyledRun[];
  /** The undecided end of the text, whose closing mark may still come. */
  readonly rest: string;
}

/** How many characters may wait for a closing mark before they are shown as they are. */
const MAX_WAIT = 1_000;

/** Parses the emphasis, code and links of a line as far as they are decided. In a whole line everything is. */
export function readInline(text: string, isWhole: boolean): ReadInline {
  const runs: StyledRun[] = [];
  let plain = "";
  let at = 0;
  const endPlain = () => {
    if (plain !== "") runs.push({ text: plain });
    plain = "";
  };
  while (at < text.length) {
    const found = readMark(text, at);
    if (found.kind === "undecided" && !isWhole && text.length - at < MAX_WAIT) break;
    if (found.kind === "runs") {
      endPlain();
      runs.push(...found.runs);
      at = found.end;
      continue;
    }
    const literal = found.kind === "literal" ? found.text : (text[at] ?? "");
    plain += literal;
    at = found.kind === "literal" ? found.end : at + 1;
  }
  endPlain();
  return { runs, rest: text.slice(at) };
}

type Mark =
  | { readonly kind: "runs"; readonly runs: readonly StyledRun[]; readonly end: number }
  | { readonly kind: "literal"; readonly text: string; readonly end: number }
  | { readonly kind: "undecided" };

const UNDECIDED: Mark = { kind: "undecided" };
const PLAIN = /[^\\`*_![]+/y;

function readMark(text: string, at: number): Mark {
  const character = text[at] ?? "";
  const follows = text[at + 1];
  PLAIN.lastIndex = at;
  const plain = PLAIN.exec(text)?.[0];
  if (plain !== undefined) return literal(plain, at + plain.length);
  if (follows === undefined) return UNDECIDED;
  if (character === "\\") return readEscape(text, at);
  if (character === "`") return readCode(text, at);
  if (character === "[") return readLink(text, at, at);
  if (character === "!") return follows === "[" ? readLink(text, at, at + 1) : literal("!", at + 1);
  return readEmphasis(text, at, character);
}

function literal(text: string, end: number): Mark {
  return { kind: "literal", text, end };
}

function readEscape(text: string, at: number): Mark {
  const escaped = text[at + 1] ?? "";
  return /[\\`*_[\]!#+\-.(){}<>|~]/.test(escaped) ? literal(escaped, at + 2) : literal("\\", at + 1);
}

function readCode(text: string, at: number): Mark {
  const fence = /^`+/.exec(text.slice(at))?.[0] ?? "`";
  const from = at + fence.length;
  const closing = new RegExp(`(?<!\`)${fence}(?!\`)`, "g");
  closing.lastIndex = from;
  const end = closing.exec(text)?.index;
  if (end === undefined) return UNDECIDED;
  const inside = text.slice(from, end).replace(/^ (.*\S.*) $/, "$1");
  return { kind: "runs", runs: [{ text: inside, style: "cyan" }], end: end + fence.length };
}

/** Shows both the words and the target, so that neither can pass for the other. */
function readLink(text: string, at: number, bracket: number): Mark {
  const found = /^\[([^\][]*)\]\(([^()\s]*)\)/.exec(text.slice(bracket));
  if (found !== null) {
    const [whole, words = "", target = ""] = found;
    const runs: StyledRun[] =
      words === target ? [{ text: words }] : [{ text: words }, { text: ` (${target})`, style: "dim" }];
    return { kind: "runs", runs, end: bracket + whole.length };
  }
  const mayStillBe = /^\[[^\][]*(?:\](?:\([^()\s]*)?)?$/.test(text.slice(bracket));
  return mayStillBe ? UNDECIDED : literal(text.slice(at, bracket + 1), bracket + 1);
}

const STYLES = { 1: "italic", 2: "bold" } as const satisfies Record<1 | 2, Colour>;

function readEmphasis(text: string, at: number, character: string): Mark {
  const size = text[at + 1] === character ? 2 : 1;
  const marker = character.repeat(size);
  const inside = text[at + size];
  if (inside === undefined) return UNDECIDED;
  const before = text[at - 1] ?? " ";
  const opens = !/\s/.test(inside) && inside !== character && !(character === "_" && isWord(before));
  if (!opens) return literal(marker, at + size);
  for (let end = text.indexOf(marker, at + size); end !== -1; end = text.indexOf(marker, end + 1)) {
    const after = text[end + size];
    // One more such character would make it a different marker.
    if (after === undefined && size === 1) return UNDECIDED;
    const closes = !/\s/.test(text[end - 1] ?? " ") && after !== character && !(character === "_" && isWord(after));
    if (!closes) continue;
    const style = STYLES[size];
    const { runs } = readInline(text.slice(at + size, end), true);
    return { kind: "runs", runs: runs.map((run) => ({ style, ...run })), end: end + size };
  }
  return UNDECIDED;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

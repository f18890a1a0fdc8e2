import { splitCharacters } from "../../output/text-width.ts";
import type { Key } from "./keyboard.ts";

/** A line being typed: its graphemes, and how many of them are before the cursor. */
export interface LineDraft {
  readonly characters: readonly string[];
  readonly cursor: number;
}

/** The effect of a key on the line. */
export type EditStep =
  | { readonly kind: "edited"; readonly draft: LineDraft }
  | { readonly kind: "submitted" | "left" | "interrupted" | "older" | "newer" | "complete" | "wipe" | "ignored" };

export const EMPTY_DRAFT: LineDraft = { characters: [], cursor: 0 };

export function toLineDraft(text: string): LineDraft {
  const characters = splitCharacters(text);
  return { characters, cursor: characters.length };
}

export function textOf({ characters }: LineDraft): string {
  return characters.join("");
}

/** Inserts text at the cursor. */
export function insert({ characters, cursor }: LineDraft, text: string): LineDraft {
  const before = splitCharacters(characters.slice(0, cursor).join("") + text);
  // Joined before splitting, because a combining mark belongs to the character before it.
  return { characters: [...before, ...characters.slice(cursor)], cursor: before.length };
}

/** Applies one key. Pure: the caller handles history, completion and finished lines. */
export function applyKey(draft: LineDraft, key: Key): EditStep {
  const named = key.ctrl ? CONTROL[key.name] : key.meta ? META[key.name] : NAMED[key.name];
  if (named !== undefined) return named(draft);
  const typed = key.ctrl || key.meta ? "" : key.text.replace(UNTYPED, "");
  return typed === "" ? IGNORED : edited(insert(draft, typed));
}

type Edit = (draft: LineDraft) => EditStep;

const IGNORED = { kind: "ignored" } as const;

function edited(draft: LineDraft): EditStep {
  return { kind: "edited", draft };
}

function step(kind: Exclude<EditStep["kind"], "edited">): Edit {
  return () => ({ kind });
}

const moveTo =
  (target: (draft: LineDraft) => number): Edit =>
  (draft) =>
    edited({ ...draft, cursor: Math.min(draft.characters.length, Math.max(0, target(draft))) });

/** Removes everything between the cursor and another position. */
const removeTo =
  (target: (draft: LineDraft) => number): Edit =>
  (draft) => {
    const other = Math.min(draft.characters.length, Math.max(0, target(draft)));
    const [from, to] = other < draft.cursor ? [other, draft.cursor] : [draft.cursor, other];
    return edited({ characters: draft.characters.filter((_, at) => at < from || at >= to), cursor: from });
  };

const left = ({ cursor }: LineDraft) => cursor - 1;
const right = ({ cursor }: LineDraft) => cursor + 1;

function lineStart({ characters, cursor }: LineDraft): number {
  return cursor === 0 ? 0 : characters.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd({ characters, cursor }: LineDraft): number {
  const at = characters.indexOf("\n", cursor);
  return at === -1 ? characters.length : at;
}

function wordLeft({ characters, cursor }: LineDraft): number {
  let at = cursor;
  while (at > 0 && !isWord(characters[at - 1])) at -= 1;
  while (at > 0 && isWord(characters[at - 1])) at -= 1;
  return at;
}

function wordRight({ characters, cursor }: LineDraft): number {
  let at = cursor;
  while (at < characters.length && !isWord(characters[at])) at += 1;
  while (at < characters.length && isWord(characters[at])) at += 1;
  return at;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** Moves up or down within a text of several lines, and beyond its first or last line through the history. */
function vertical(by: -1 | 1): Edit {
  return (draft) => {
    const [start, end] = [lineStart(draft), lineEnd(draft)];
    if (by < 0 && start === 0) return { kind: "older" };
    if (by > 0 && end === draft.characters.length) return { kind: "newer" };
    const column = draft.cursor - start;
    const from = by < 0 ? lineStart({ ...draft, cursor: start - 1 }) : end + 1;
    const to = lineEnd({ ...draft, cursor: from });
    return edited({ ...draft, cursor: Math.min(from + column, to) });
  };
}

const newLine: Edit = (draft) => edited(insert(draft, "\n"));
const endOfInput: Edit = (draft) => (draft.characters.length === 0 ? { kind: "left" } : removeTo(right)(draft));

const NAMED: Readonly<Record<string, Edit>> = {
  return: step("submitted"),
  // Ctrl-J, which some terminals also send for Alt-Enter.
  enter: newLine,
  left: moveTo(left),
  right: moveTo(right),
  home: moveTo(lineStart),
  end: moveTo(lineEnd),
  up: vertical(-1),
  down: vertical(1),
  backspace: removeTo(left),
  delete: removeTo(right),
  tab: step("complete"),
};

const CONTROL: Readonly<Record<string, Edit>> = {
  a: moveTo(lineStart),
  e: moveTo(lineEnd),
  b: moveTo(left),
  f: moveTo(right),
  left: moveTo(wordLeft),
  right: moveTo(wordRight),
  w: removeTo(wordLeft),
  u: removeTo(lineStart),
  k: removeTo(lineEnd),
  h: removeTo(left),
  d: endOfInput,
  p: step("older"),
  n: step("newer"),
  l: step("wipe"),
  c: step("interrupted"),
};

const META: Readonly<Record<string, Edit>> = {
  return: newLine,
  enter: newLine,
  b: moveTo(wordLeft),
  f: moveTo(wordRight),
  left: moveTo(wordLeft),
  right: moveTo(wordRight),
  d: removeTo(wordRight),
  backspace: removeTo(wordLeft),
};

/** Control characters that a line cannot contain. Newlines and tabs are allowed, since pastes contain them. */
const UNTYPED = /[^\P{Cc}\n\t]/gu;

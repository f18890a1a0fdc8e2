import type { Key } from "./keyboard.ts";
import { applyKey, EMPTY_DRAFT, insert, type LineDraft, textOf } from "./line-editor.ts";

/** What a person types while they are asked something else: it is for the next prompt. */
export interface KeptInput {
  /** Adds keys that were pressed before the question; an Enter among them ends a line. */
  add(keys: readonly Key[]): void;
  /** Edits the unfinished line. Keys that do nothing in a line without history and completion are ignored. */
  edit(key: Key): void;
  breakLine(): void;
  /** The unfinished line. */
  draft(): LineDraft;
  /** Everything as one text; empty if there is nothing. */
  text(): string;
  /** Removes everything and returns it as keys for the next prompt. */
  release(): readonly Key[];
}

export function createKeptInput(): KeptInput {
  const finished: Key[] = [];
  let draft = EMPTY_DRAFT;

  function edit(key: Key): void {
    const step = applyKey(draft, key);
    if (step.kind === "edited") draft = step.draft;
  }

  function finishLine(end: readonly Key[]): void {
    if (draft.characters.length > 0) finished.push(toPaste(textOf(draft)));
    finished.push(...end);
    draft = EMPTY_DRAFT;
  }

  return {
    add(keys) {
      for (const key of keys) {
        if (isEnter(key)) finishLine([key]);
        else edit(key);
      }
    },
    edit,
    breakLine() {
      draft = insert(draft, "\n");
    },
    draft: () => draft,
    text: () => finished.map((key) => (isEnter(key) ? "\n" : key.text)).join("") + textOf(draft),
    release() {
      finishLine([]);
      return finished.splice(0);
    },
  };
}

export function isEnter({ name, ctrl, meta }: Key): boolean {
  return name === "return" && !ctrl && !meta;
}

/** Whether the key adds something to a line. */
export function isText(key: Key): boolean {
  const step = applyKey(EMPTY_DRAFT, key);
  return step.kind === "edited" && step.draft.characters.length > 0;
}

/** One key with all of the text, as for a paste: nothing in it is a command. */
function toPaste(text: string): Key {
  return { name: "", text, ctrl: false, meta: false };
}

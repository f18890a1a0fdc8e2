import type { Engine } from "@tacklebox/core";
import { APPROVAL_MODES } from "../../command-table/approval-modes.ts";
import { printableLine } from "../../output/printable.ts";
import { insert, type LineDraft, textOf } from "../terminal/line-editor.ts";
import { SLASH_COMMANDS } from "./slash-commands.ts";

export interface Completion {
  readonly draft: LineDraft;
  /** The possible completions of the word before the cursor; a single one has been inserted. */
  readonly choices: readonly string[];
}

/** Completes a line, for the Tab key. Undefined when nothing fits. */
export type Complete = (draft: LineDraft) => Promise<Completion | undefined>;

type Offer = Pick<Engine, "tools" | "gpts" | "models" | "sessions" | "servers">;

const MAX_SESSIONS = 20;

/** Completes slash commands at the start of a line, their arguments after them, and tool names anywhere. */
export function createComplete(engine: Offer): Complete {
  return async (draft) => {
    const before = textOf({ ...draft, characters: draft.characters.slice(0, draft.cursor) });
    const word = /\S*$/.exec(before)?.[0] ?? "";
    const fitting = (await wordsFor(before, word, engine)).filter((one) => one.startsWith(word) && isTypable(one));
    const choices = [...new Set(fitting)].sort();
    const [first, ...others] = choices;
    if (first === undefined) return undefined;
    if (others.length === 0) return { draft: insert(draft, `${first.slice(word.length)} `), choices };
    const shared = others.reduce(sharedBeginning, first);
    return { draft: insert(draft, shared.slice(word.length)), choices };
  };
}

async function wordsFor(before: string, word: string, engine: Offer): Promise<readonly string[]> {
  if (before === word && word.startsWith("/")) return SLASH_COMMANDS.map(({ name }) => `/${name}`);
  const command = /^\/([a-z]+)\s+\S*$/.exec(before)?.[1];
  if (command === "gpt") return ["none", ...(await engine.gpts.list()).map(({ key }) => key)];
  if (command === "approve") return APPROVAL_MODES;
  if (command === "grants") return ["revoke"];
  if (command === "reconnect") return (await engine.servers.list()).map(({ key }) => key);
  if (command === "model") return (await engine.models.list()).map(({ name }) => name);
  if (command === "sessions") return (await engine.sessions.list({ limit: MAX_SESSIONS })).items.map(({ id }) => id);
  if (word === "" && command === undefined) return [];
  return (await engine.tools.list()).map(({ shownName }) => shownName);
}

/** Names come from servers, so those with characters that cannot be typed or seen are never inserted. */
function isTypable(word: string): boolean {
  return printableLine(word) === word;
}

function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

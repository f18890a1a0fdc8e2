import { appendFile, chmod, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createFolder } from "@tacklebox/storage/folders";

/** Lines typed in earlier prompts, to be recalled. */
export interface History {
  add(text: string): void;
  /** Walks back from the newest line. Each step returns the text to show instead of `current`; undefined at the end. */
  walk(): (where: "older" | "newer", current: string) => string | undefined;
  /** Resolves when everything added is on disk, or could not be saved. */
  settled(): Promise<void>;
}

const KEPT_LINES = 1_000;
/** The file is cut only beyond this length, so that nearly every line is one append that concurrent chats can share. */
const MAX_LINES = 2 * KEPT_LINES;

/**
 * Stores lines in a file that only its owner can read, one JSON string per line, with known secrets redacted. Nothing
 * is written before the secrets are known. If the file cannot be read or written, the chat works without it.
 */
export function openHistory(file: string, redact: (text: string) => Promise<string>): History {
  const lines: string[] = [];
  let work: Promise<unknown> = load(file).then((earlier) => lines.unshift(...earlier));
  let isPrivate = false;

  return {
    add(text) {
      if (lines.at(-1) === text) return;
      lines.push(text);
      work = work.then(async () => append(await redact(text))).catch(() => undefined);
    },
    walk() {
      let at: number | undefined;
      let typed = "";
      return (where, current) => {
        if (at === undefined) typed = current;
        const target = (at ?? lines.length) + (where === "older" ? -1 : 1);
        if (target < 0 || target > lines.length) return undefined;
        at = target;
        return target === lines.length ? typed : lines[target];
      };
    },
    settled: async () => {
      await work;
    },
  };

  async function append(line: string): Promise<void> {
    if (!isPrivate) await createFolder(dirname(file));
    await appendFile(file, toLine(line), { mode: 0o600 });
    // An existing file may have been readable by others.
    if (!isPrivate) await chmod(file, 0o600);
    isPrivate = true;
  }
}

async function load(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").flatMap(fromLine);
  if (lines.length <= MAX_LINES) return lines;
  const kept = lines.slice(-KEPT_LINES);
  await replace(file, kept).catch(() => undefined);
  return kept;
}

async function replace(file: string, lines: readonly string[]): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, lines.map(toLine).join(""), { mode: 0o600 });
  await rename(draft, file);
}

function toLine(text: string): string {
  return `${JSON.stringify(text)}\n`;
}

function fromLine(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

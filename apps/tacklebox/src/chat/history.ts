import { appendFile, chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** What was said here before, to be said again. */
export interface History {
  add(text: string): void;
  /** Walks from the newest: the text to show in place of `current`, or undefined where there is none further. */
  walk(): (where: "older" | "newer", current: string) => string | undefined;
  /** Resolves when everything added is on disk, or could not be kept. */
  settled(): Promise<void>;
}

const KEPT_LINES = 1_000;
/** The file may grow this long before it is cut, so that nearly every line is one append and chats side by side share it. */
const MOST_LINES = 2 * KEPT_LINES;

/**
 * Kept in a file only its owner can read, one JSON text per line, with known secrets struck out: nothing is written
 * before these are known. A file that cannot be read or written costs the memory of earlier days, not the chat.
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
    if (!isPrivate) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, toLine(line), { mode: 0o600 });
    // A file that was there before may have been open to others.
    if (!isPrivate) await chmod(file, 0o600);
    isPrivate = true;
  }
}

async function load(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").flatMap(fromLine);
  if (lines.length <= MOST_LINES) return lines;
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

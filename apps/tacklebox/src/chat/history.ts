import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** What was said here before, to be said again. */
export interface History {
  add(text: string): void;
  /** Walks from the newest: the text to show in place of `current`, or undefined where there is none further. */
  walk(): (where: "older" | "newer", current: string) => string | undefined;
  /** Resolves when everything added is on disk, or could not be kept. */
  settled(): Promise<void>;
}

const MOST_LINES = 1_000;

/**
 * Kept in a file only its owner can read, one JSON text per line, with known secrets struck out: nothing is written
 * before these are known. A file that cannot be read or written costs the memory of earlier days, not the chat.
 */
export function openHistory(file: string, redactor: Promise<(text: string) => string>): History {
  const lines: string[] = [];
  let work: Promise<unknown> = load(file).then((earlier) => lines.unshift(...earlier));

  return {
    add(text) {
      if (lines.at(-1) === text) return;
      lines.push(text);
      work = work.then(async () => save(file, lines.slice(-MOST_LINES).map(await redactor))).catch(() => undefined);
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
}

async function load(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "string" ? [value] : [];
    } catch {
      return [];
    }
  });
}

async function save(file: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

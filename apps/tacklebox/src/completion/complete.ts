import type { CommandEntry } from "../command-line/row.ts";
import { whyFoldersAreRefused } from "../config-file/folders.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printableLine } from "../output/printable.ts";
import { cutToWidth } from "../output/text-width.ts";
import { wordsOf } from "./command-words.ts";
import { findPlace } from "./find-place.ts";
import { listWords, type Word } from "./list-words.ts";

/** Somebody presses Tab and waits. */
const DEADLINE_MS = 2_000;
const LONGEST_NAME = 200;
const LONGEST_ABOUT = 60;

/**
 * Prints the names that can be typed next, one a line, with a tab and a few words about it where there are any. The
 * completion scripts call this as `tacklebox __complete SHELL WORD…`; the last word is the one being typed. It asks
 * nobody, prints no errors and succeeds always: whatever it wrote would land in the line that is being typed.
 */
export async function complete(argv: readonly string[], io: Io, table: readonly CommandEntry[]): Promise<ExitCode> {
  const [shell, ...words] = argv;
  const given = shell === "bash" ? words.map(unquote) : words;
  const place = findPlace(wordsOf(table), given);
  if (place === undefined || whyFoldersAreRefused(io) !== undefined) return EXIT.ok;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly Word[]>((done) => {
    timer = setTimeout(() => done([]), DEADLINE_MS);
  });
  const found = await Promise.race([listWords(place, io).catch((): readonly Word[] => []), late]);
  clearTimeout(timer);
  const lines = new Map(found.filter(isHarmless).map((word) => [word.name, toLine(word)]));
  await io.stdout.write([...lines.values()].join(""));
  return EXIT.ok;
}

/**
 * Servers choose the names of their tools. The scripts quote what they insert; this leaves out what no quoting makes
 * harmless: names that would be taken for options, and those that do not look like what they are.
 */
function isHarmless({ name }: Word): boolean {
  return name !== "" && name.length <= LONGEST_NAME && !name.startsWith("-") && printableLine(name) === name;
}

function toLine({ name, about = "" }: Word): string {
  const words = cutToWidth(printableLine(about.replace(/\s+/g, " ").trim()), LONGEST_ABOUT);
  return words === "" ? `${name}\n` : `${name}\t${words}\n`;
}

/** Bash hands over the words as they were typed. */
function unquote(word: string): string {
  return word.replace(/\\(.)|["']/gs, (_all, escaped: string | undefined) => escaped ?? "");
}

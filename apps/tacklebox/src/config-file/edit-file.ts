import { chmod, chown, lstat, mkdir, mkdtemp, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ParsedConfig } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";
import { readConfigText } from "./read-text.ts";

/** A config file as it was when it was opened to be changed. */
export interface OpenedFile {
  readonly kind: "opened";
  /** As people named it. */
  readonly file: string;
  readonly text: string;
  /** What is there now; undefined when there is no file yet. */
  readonly present:
    | { readonly target: string; readonly mode: number; readonly uid: number; readonly gid: number }
    | undefined;
}

export interface Refused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

export type Saved = { readonly kind: "saved" } | Refused;

const BYTE_ORDER_MARK = "\ufeff";
const OWNER_ONLY = 0o600;

/** Reads a file to be changed. One that does not exist is empty, and is made when it is saved. */
export async function openFile(file: string): Promise<OpenedFile | Refused> {
  try {
    const target = await realpath(file);
    const { mode, uid, gid } = await stat(target);
    const read = await readConfigText(target);
    if (read.kind === "unreadable") return { kind: "refused", messages: [read.message] };
    return { kind: "opened", file, text: read.text, present: { target, mode: mode & 0o7777, uid, gid } };
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return cannotWrite(file, error);
    if (await isLink(file))
      return { kind: "refused", messages: [`${file}\nThis is a link to a file that does not exist.`] };
    return { kind: "opened", file, text: "", present: undefined };
  }
}

/**
 * Puts the new text in the file's place, whole or not at all. Refuses a text that is wrong where the old one was not,
 * and a file that somebody else changed meanwhile.
 */
export async function saveFile(
  opened: OpenedFile,
  text: string,
  surroundings: Pick<CommandEnvironment, "env">,
): Promise<Saved> {
  const { formatConfigProblem, parseConfig } = await import("@tacklebox/core");
  const { file } = opened;
  const env = { ...standIns(text), ...surroundings.env };
  const known = new Set(problemsOf(parseConfig(opened.text, { file, env })).map(({ message }) => message));
  const faults = problemsOf(parseConfig(text, { file, env })).filter(({ message }) => !known.has(message));
  if (faults.length > 0) {
    const refusal = `${file}\nNothing was changed: the file would not be valid any more.`;
    return { kind: "refused", messages: [refusal, ...faults.map(formatConfigProblem)] };
  }
  try {
    return await replace(opened, text);
  } catch (error) {
    return cannotWrite(file, error);
  }
}

async function replace(opened: OpenedFile, text: string): Promise<Saved> {
  const { file, present } = opened;
  const target = present?.target ?? file;
  const folder = await mkdtemp(join(dirname(target), ".tacklebox-"));
  try {
    const fresh = join(folder, basename(target));
    const handle = await open(fresh, "wx", OWNER_ONLY);
    try {
      await handle.writeFile(`${await markOf(present?.target)}${text}`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (present !== undefined) await takeAfter(fresh, present);
    return await underLock(target, folder, async () => {
      const now = await openFile(file);
      if (now.kind === "refused" || now.text !== opened.text || now.present?.target !== present?.target)
        return changedMeanwhile(file);
      await rename(fresh, target);
      return { kind: "saved" };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How long a lock may be held: looking at the file and renaming another into its place takes milliseconds. */
const STALE_LOCK_MS = 10_000;

/** Between the last look at the file and its replacement nobody else may replace it. `fresh` was made just now. */
async function underLock(target: string, fresh: string, use: () => Promise<Saved>): Promise<Saved> {
  const lock = join(dirname(target), `.${basename(target)}.lock`);
  if (await isStale(lock, fresh)) await rm(lock, { recursive: true, force: true });
  try {
    await mkdir(lock);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return changedMeanwhile(target);
    throw error;
  }
  try {
    return await use();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Left by a program that was killed. Both times are the file system's. */
async function isStale(lock: string, fresh: string): Promise<boolean> {
  try {
    return (await stat(fresh)).mtimeMs - (await stat(lock)).mtimeMs > STALE_LOCK_MS;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function changedMeanwhile(file: string): Refused {
  return { kind: "refused", messages: [`${file}\nNothing was changed: the file was changed meanwhile. Try again.`] };
}

async function isLink(file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function takeAfter(fresh: string, present: NonNullable<OpenedFile["present"]>): Promise<void> {
  const { uid, gid } = await stat(fresh);
  if (uid !== present.uid || gid !== present.gid) await chown(fresh, present.uid, present.gid);
  await chmod(fresh, present.mode);
}

/** Reading drops it, and editors of some systems want it back. */
async function markOf(target: string | undefined): Promise<string> {
  if (target === undefined) return "";
  const handle = await open(target, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(3), 0, 3, 0);
    return bytesRead === 3 && buffer.toString("utf8") === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : "";
  } finally {
    await handle.close();
  }
}

/** A variable that is not set now may be when the file is used; whether it is, is not for an edit to judge. */
function standIns(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, "https://localhost"]));
}

function problemsOf(parsed: ParsedConfig) {
  return parsed.kind === "invalid" ? parsed.problems : [];
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "it is on a disk that cannot be written",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
  ENOSPC: "the disk is full",
  ELOOP: "it is a link that leads back to itself",
};

function cannotWrite(file: string, error: unknown): Refused {
  const code = codeOf(error);
  return {
    kind: "refused",
    messages: [`${file}\nCannot write the config file: ${REASONS[code] ?? code}. Nothing was changed.`],
  };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}

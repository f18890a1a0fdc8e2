import { chmod, chown, lstat, mkdir, mkdtemp, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ParsedConfig } from "@tacklebox/core";
import { ADVICE } from "../advice.ts";
import type { CommandEnvironment } from "../io.ts";
import { type ReadText, readConfigText } from "./read-text.ts";

/** A config file as it was when it was opened for editing. */
export interface OpenedFile {
  readonly kind: "opened";
  /** The path as the person gave it. */
  readonly file: string;
  readonly text: string;
  /** The file on disk; undefined when there is none yet. */
  readonly existing:
    | { readonly target: string; readonly mode: number; readonly uid: number; readonly gid: number }
    | undefined;
}

export interface Refused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

export type Saved = { readonly kind: "saved" } | Refused;

/** What is to be done around the moment in which the file is replaced. No other process of ours replaces it then. */
export interface Replacement {
  /** `bytes` is the whole new content. */
  starts(bytes: Uint8Array): Promise<void>;
  ended(): Promise<void>;
}

const BYTE_ORDER_MARK = "\ufeff";
const OWNER_ONLY = 0o600;

/** Opens a file for editing. A missing file counts as empty and is created when it is saved. */
export async function openFile(
  file: string,
  readText: (target: string) => Promise<ReadText | Refused> = readConfigText,
): Promise<OpenedFile | Refused> {
  try {
    const target = await realpath(file);
    const { mode, uid, gid } = await stat(target);
    const read = await readText(target);
    if (read.kind === "refused") return read;
    if (read.kind === "unreadable") return { kind: "refused", messages: [read.message] };
    return { kind: "opened", file, text: read.text, existing: { target, mode: mode & 0o7777, uid, gid } };
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return cannotWrite(file, error);
    if (await isLink(file))
      return { kind: "refused", messages: [`${file}\nThis is a link to a file that does not exist.`] };
    return { kind: "opened", file, text: "", existing: undefined };
  }
}

/**
 * Replaces the file's text atomically. Refuses a text with problems that the old text did not have, and a file that
 * another program has changed since it was opened.
 */
export async function saveFile(
  opened: OpenedFile,
  text: string,
  environment: Pick<CommandEnvironment, "env">,
  replacement?: Replacement,
): Promise<Saved> {
  const { formatConfigProblem, parseConfig } = await import("@tacklebox/core");
  const { file } = opened;
  const env = { ...placeholderVariables(text), ...environment.env };
  const known = new Set(
    problemsOf(parseConfig(opened.text, { file, env, advice: ADVICE })).map(({ message }) => message),
  );
  const faults = problemsOf(parseConfig(text, { file, env, advice: ADVICE })).filter(
    ({ message }) => !known.has(message),
  );
  if (faults.length > 0) {
    const refusal = `${file}\nNothing was changed: the file would not be valid any more.`;
    return { kind: "refused", messages: [refusal, ...faults.map(formatConfigProblem)] };
  }
  try {
    return await replace(opened, text, replacement);
  } catch (error) {
    return cannotWrite(file, error);
  }
}

async function replace(opened: OpenedFile, text: string, replacement: Replacement | undefined): Promise<Saved> {
  const { file, existing } = opened;
  const target = existing?.target ?? file;
  const bytes = Buffer.from(`${await byteOrderMarkOf(existing?.target)}${text}`);
  const folder = await mkdtemp(join(dirname(target), ".tacklebox-"));
  try {
    const fresh = join(folder, basename(target));
    const handle = await open(fresh, "wx", OWNER_ONLY);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (existing !== undefined) await copyOwnerAndMode(fresh, existing);
    return await withLock(target, folder, async () => {
      const now = await openFile(file);
      if (now.kind === "refused" || now.text !== opened.text || now.existing?.target !== existing?.target)
        return changedMeanwhile(file);
      await replacement?.starts(bytes);
      await rename(fresh, target);
      await replacement?.ended();
      return { kind: "saved" };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Age at which a lock counts as abandoned. Reading the file and renaming its replacement takes milliseconds. */
const STALE_LOCK_MS = 10_000;

/** Keeps other processes from replacing the file between our last check and the rename. `fresh` was just created. */
async function withLock(target: string, fresh: string, use: () => Promise<Saved>): Promise<Saved> {
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

/** True for a lock left behind by a killed process. Compares file times only, as the system clock may differ. */
async function isStale(lock: string, fresh: string): Promise<boolean> {
  try {
    return (await stat(fresh)).mtimeMs - (await stat(lock)).mtimeMs > STALE_LOCK_MS;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function changedMeanwhile(file: string): Refused {
  return { kind: "refused", messages: [`${file}\nNothing was changed: the file changed in the meantime. Try again.`] };
}

async function isLink(file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function copyOwnerAndMode(fresh: string, existing: NonNullable<OpenedFile["existing"]>): Promise<void> {
  const { uid, gid } = await stat(fresh);
  if (uid !== existing.uid || gid !== existing.gid) await chown(fresh, existing.uid, existing.gid);
  await chmod(fresh, existing.mode);
}

/** The byte order mark is lost when the file is decoded; some editors on Windows expect it to stay. */
async function byteOrderMarkOf(target: string | undefined): Promise<string> {
  if (target === undefined) return "";
  const handle = await open(target, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(3), 0, 3, 0);
    return bytesRead === 3 && buffer.toString("utf8") === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : "";
  } finally {
    await handle.close();
  }
}

/** Placeholder values for the variables the text names: one that is unset now may be set when the file is used. */
function placeholderVariables(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, "https://localhost"]));
}

function problemsOf(parsed: ParsedConfig) {
  return parsed.kind === "invalid" ? parsed.problems : [];
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you do not have permission to write there",
  EPERM: "you do not have permission to write there",
  EROFS: "it is on a read-only disk",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
  ENOSPC: "the disk is full",
  ELOOP: "it is a link that points back to itself",
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

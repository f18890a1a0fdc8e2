import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { VaultError } from "@tacklebox/core";
import { formatKeySet, type KeySet, type KeySetStore, parseKeySet } from "./node-key-set.ts";

export interface KeyFileOptions {
  readonly file: string;
  /** The user id of this process; undefined on systems without user ids and file modes. */
  readonly userId: number | undefined;
}

/** Stores keys in a file that only its owner can read. */
export function createKeyFile({ file, userId }: KeyFileOptions): KeySetStore {
  return {
    read,
    async create(set) {
      if ((await read()) !== undefined) throw refused(`${file} is there already. Try again.`);
      await write(set);
    },
    write,
  };

  async function read(): Promise<KeySet | undefined> {
    const text = await readPrivately(file, userId);
    if (text === undefined) return undefined;
    const set = parseKeySet(text);
    if (set === undefined)
      throw refused(`${file} is damaged. Restore it from a copy: without it the stored secrets cannot be read.`);
    return set;
  }

  async function write(set: KeySet): Promise<void> {
    try {
      await replaceFile(file, formatKeySet(set));
    } catch (error) {
      throw refused(`${file} cannot be written (${codeOf(error)}). Nothing was changed.`);
    }
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  // There is one writer at a time, so an existing draft was left by one that was killed.
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}

async function readPrivately(file: string, userId: number | undefined): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, a pipe in the file's place would block for ever.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return explainUnopened(file, error);
  }
  try {
    refuseForeign(file, await handle.stat(), userId);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function explainUnopened(file: string, error: unknown): Promise<undefined> {
  const code = codeOf(error);
  if (code === "ENOENT") return undefined;
  if ((await lstat(file)).isSymbolicLink())
    throw refused(`${file} is a link. Put the key file itself there: a link could point to someone else's file.`);
  throw refused(`${file} cannot be opened (${code}). Make it readable for this user, and for nobody else.`);
}

function refuseForeign(file: string, stats: Stats, userId: number | undefined): void {
  if (!stats.isFile()) throw refused(`${file} is not a file. Move it: the vault's key file belongs there.`);
  if (userId === undefined) return;
  if (stats.uid !== userId)
    throw refused(
      `${file} belongs to another user. Make the user who runs Tacklebox its owner: chown ${userId} '${file}'`,
    );
  if ((stats.mode & 0o077) === 0) return;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  throw refused(
    `${file} is open to other users (mode ${mode}). Close it with: chmod 600 '${file}' and, if somebody else may have read it, replace the key with: tacklebox secret rotate`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}

function refused(text: string): VaultError {
  return new VaultError("locked", `The vault is locked: ${text}`);
}

// Otherwise the rename might not survive power loss. Windows has no folder handles, and needs none.
async function syncFolder(folder: string): Promise<void> {
  if (constants.O_DIRECTORY === undefined) return;
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

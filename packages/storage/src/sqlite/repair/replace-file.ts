import { existsSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../file/create-file.ts";
import { repairMarkOf, shmOf, walOf } from "../file/names.ts";

/** What the mark of a repair says: names of files in the folder of the database. */
export interface Replacement {
  /** Where the repaired file is until it takes its place. */
  readonly repaired: string;
  /** What the damaged file is called from then on. */
  readonly damaged: string;
}

/**
 * Puts a repaired file in the place of the damaged one, which is kept. The mark is written first and keeps everybody
 * else out (check-file.ts): a new file beside the WAL of the old one, or none at all, would lose calls without a word.
 */
export async function replaceFile(file: string, replacement: Replacement): Promise<void> {
  const draft = `${repairMarkOf(file)}.new`;
  const mark = await open(draft, "w", 0o600);
  try {
    await mark.writeFile(JSON.stringify(replacement));
    await mark.sync();
  } finally {
    await mark.close();
  }
  await rename(draft, repairMarkOf(file));
  await syncFolder(dirname(file));
  await finishReplacing(file, replacement);
}

/** The replacement that a process did not finish, if there is one. */
export async function readReplacement(file: string): Promise<Replacement | undefined> {
  const mark = repairMarkOf(file);
  if (!existsSync(mark)) return undefined;
  const { repaired, damaged }: Record<string, unknown> = Object(JSON.parse(await readFile(mark, "utf8")));
  // The mark names files of this folder; anything else is not from us.
  return { repaired: basename(String(repaired)), damaged: basename(String(damaged)) };
}

/** Does what is left to do, so it can be repeated after a crash at any point. */
export async function finishReplacing(file: string, { repaired, damaged }: Replacement): Promise<void> {
  const folder = dirname(file);
  const [from, kept] = [join(folder, repaired), join(folder, damaged)];
  if (existsSync(from)) {
    if (existsSync(file) && !existsSync(kept)) await rename(file, kept);
    if (existsSync(walOf(file))) await rename(walOf(file), walOf(kept));
    await rm(shmOf(file), { force: true });
    await rename(from, file);
    await syncFolder(folder);
  }
  await rm(repairMarkOf(file), { force: true });
  await syncFolder(folder);
}

import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Where a config file is found, and where it really is. */
export interface FilePlace {
  /** The file in its folder, with links on the way to the folder resolved. */
  readonly place: string;
  /** The file itself. Another than `place` if that is a link. */
  readonly target: string;
}

/**
 * Both count for an agreement: a link in another folder to a file that was agreed to would run the programs of that
 * other folder, and might be read in another syntax.
 */
export async function placeOfFile(file: string): Promise<FilePlace> {
  return { place: await placeOf(file), target: await realpath(file) };
}

/** Also for a file that does not exist, as long as its folder does. */
export async function placeOf(file: string): Promise<string> {
  return join(await realpath(dirname(file)), basename(file));
}

import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { quoteForShell } from "../quote-for-shell.ts";

const WRITABLE_BY_OTHERS = 0o022;

/** Why the records in a folder could be somebody else's; undefined if they could not, or if there is no such folder. */
export async function whyFolderIsDoubtful(folder: string): Promise<string | undefined> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink())
    return `${folder} is a link and could lead to agreements of somebody else, so none of them count. Remove the link.`;
  if (isForeign(stats))
    return `${folder} belongs to another user, who could agree in your name, so no agreement in it counts. Move it away, or name another data folder with TACKLEBOX_DATA.`;
  if (isOpenToOthers(stats))
    return `Other users may write to ${folder} and could agree in your name, so no agreement in it counts. Close it to them: chmod go-w ${quoteForShell(folder)}`;
  return undefined;
}

/** The same for the file of one record. The stats are those of the opened file, so that nobody can exchange it. */
export function whyRecordIsDoubtful(file: string, stats: Stats): string | undefined {
  if (isForeign(stats)) return `${file} belongs to another user, so the agreement in it does not count. Remove it.`;
  if (isOpenToOthers(stats))
    return `Other users may write to ${file}, so the agreement in it does not count. Remove it.`;
  return undefined;
}

export function describeLink(file: string): string {
  return `${file} is a link and could lead to an agreement of somebody else, so it does not count. Remove the link.`;
}

/** Always false on systems without user ids. */
function isForeign({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== "win32" && (mode & WRITABLE_BY_OTHERS) !== 0;
}

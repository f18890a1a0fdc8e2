import { type FileHandle, open } from "node:fs/promises";

export type ReadProgramFile =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly message: string };

/** Generous, because other programs keep histories and caches in the same files. */
const LARGEST_BYTES = 64 * 1024 * 1024;

export async function readProgramFile(file: string): Promise<ReadProgramFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const stats = await handle.stat();
    // A pipe or a device might never end.
    if (!stats.isFile()) return unreadable(file, "it is not a file");
    if (stats.size > LARGEST_BYTES) return unreadable(file, "it is larger than 64 MB");
    const bytes = await handle.readFile();
    return { kind: "ok", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return unreadable(file, "it is not UTF-8 text");
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return unreadable(file, code === "EACCES" || code === "EPERM" ? "you do not have permission to read it" : code);
  } finally {
    await handle?.close();
  }
}

function unreadable(file: string, reason: string): ReadProgramFile {
  return { kind: "unreadable", message: `${file}\nCannot read the file: ${reason}.` };
}

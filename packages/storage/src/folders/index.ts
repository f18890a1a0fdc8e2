import { chmodSync, mkdirSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder that only its owner may use, and those that it lies in. Not Node's recursive mkdir, which loops for
 * ever in a folder like /proc that answers ENOENT to new entries.
 */
export async function createFolder(folder: string): Promise<void> {
  try {
    await createOneFolder(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (!hasCode(error, "ENOENT") || parent === folder) throw error;
    await createFolder(parent);
    await createOneFolder(folder);
  }
}

async function createOneFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/** Like createFolder, for where nothing can be awaited. */
export function createFolderNow(folder: string): void {
  try {
    createOneFolderNow(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (!hasCode(error, "ENOENT") || parent === folder) throw error;
    createFolderNow(parent);
    createOneFolderNow(folder);
  }
}

function createOneFolderNow(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

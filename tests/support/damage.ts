import { closeSync, fstatSync, openSync, writeSync } from "node:fs";

const PAGE_BYTES = 4096;

/** Overwrites the beginning of pages of a database, the first of which is page 1; without any, of all but the first. */
export function damagePages(file: string, ...pages: readonly number[]): void {
  const handle = openSync(file, "r+");
  try {
    const count = Math.floor(fstatSync(handle).size / PAGE_BYTES);
    const all = Array.from({ length: count - 1 }, (_, index) => index + 2);
    for (const page of pages.length > 0 ? pages : all)
      writeSync(handle, Buffer.alloc(60, 0xff), 0, 60, (page - 1) * PAGE_BYTES);
  } finally {
    closeSync(handle);
  }
}

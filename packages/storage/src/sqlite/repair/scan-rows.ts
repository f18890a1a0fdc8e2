import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type RecordValue, readRecord, readVarint } from "./read-record.ts";

interface Source {
  readonly fileBytes: number;
  /** Throws RangeError if there is no such page. */
  readPage(page: number): Buffer;
}

export interface ScannedRow {
  readonly number: number;
  readonly values: readonly RecordValue[];
}

const PAGE_BYTES = 4096;
const FILE_HEADER_BYTES = 100;
const PAGE_HEADER_BYTES = 8;
/** Where the header of the file names the first page of the list of free ones. */
const FIRST_FREE = 32;
/** A page that holds rows of a table with row numbers. */
const TABLE_LEAF = 13;
/** Larger rows continue on further pages: https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages */
const MAX_LOCAL = PAGE_BYTES - 35;
const MIN_LOCAL = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;

/**
 * Every row on every page that looks like one of a table, whichever table that is, and whether or not it still belongs
 * to one. Free pages are left out: what they hold was removed. For rows that cannot be reached because the pages that lead to them are damaged.
 */
export function* scanRows(file: string): Generator<ScannedRow> {
  const handle = openSync(file, "r");
  try {
    const pages = Math.floor(fstatSync(handle).size / PAGE_BYTES);
    const readPage = (page: number): Buffer => {
      const bytes = Buffer.alloc(PAGE_BYTES);
      if (page < 1 || page > pages) throw new RangeError("No such page.");
      readSync(handle, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
      return bytes;
    };
    const source: Source = { fileBytes: pages * PAGE_BYTES, readPage };
    const free = freePages(source);
    for (let page = 1; page <= pages; page += 1)
      if (!free.has(page)) yield* rowsOf(readPage(page), page === 1 ? FILE_HEADER_BYTES : 0, source);
  } finally {
    closeSync(handle);
  }
}

/** As far as they can be read: https://www.sqlite.org/fileformat2.html#the_freelist */
function freePages({ readPage }: Source): ReadonlySet<number> {
  const free = new Set<number>();
  tryRead(() => {
    for (let trunk = readPage(1).readUInt32BE(FIRST_FREE); trunk !== 0 && !free.has(trunk); ) {
      const list = readPage(trunk);
      free.add(trunk);
      const count = Math.min(list.readUInt32BE(4), PAGE_BYTES / 4 - 2);
      for (let place = 0; place < count; place += 1) free.add(list.readUInt32BE(8 + 4 * place));
      trunk = list.readUInt32BE(0);
    }
  });
  return free;
}

function* rowsOf(page: Buffer, start: number, source: Source): Generator<ScannedRow> {
  if (page.readUInt8(start) !== TABLE_LEAF) return;
  const cells = page.readUInt16BE(start + 3);
  for (let cell = 0; cell < cells; cell += 1) {
    const pointer = start + PAGE_HEADER_BYTES + 2 * cell;
    if (pointer + 2 > PAGE_BYTES) return;
    const row = tryRead(() => readCell(page, page.readUInt16BE(pointer), source));
    if (row !== undefined) yield row;
  }
}

function readCell(page: Buffer, at: number, source: Source): ScannedRow {
  const size = readVarint(page, at);
  const number = readVarint(page, size.next);
  return { number: number.value, values: readRecord(readPayload(page, number.next, size.value, source)) };
}

function readPayload(page: Buffer, at: number, size: number, { fileBytes, readPage }: Source): Buffer {
  if (size <= MAX_LOCAL) return page.subarray(at, at + size);
  if (size > fileBytes) throw new RangeError("The row is larger than the file.");
  const spread = MIN_LOCAL + ((size - MIN_LOCAL) % (PAGE_BYTES - 4));
  const local = spread <= MAX_LOCAL ? spread : MIN_LOCAL;
  const parts = [page.subarray(at, at + local)];
  let left = size - local;
  for (let next = page.readUInt32BE(at + local); left > 0; ) {
    const more = readPage(next);
    parts.push(more.subarray(4, 4 + Math.min(left, PAGE_BYTES - 4)));
    left -= PAGE_BYTES - 4;
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

/** Undefined for what is no row after all. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/**
 * Copies the committed pages of a WAL into a database file. SQLite would do so itself, but it removes the WAL if the
 * database file is empty, and stops if its first page is damaged.
 */
export function applyWal(wal: string, file: string): void {
  if (!existsSync(wal)) return;
  const source = openSync(wal, "r");
  const target = openSync(file, "r+");
  try {
    const reader = createReader(source);
    if (reader === undefined) return;
    // Pages of a transaction count only if its last one, which tells the size of the database, is there.
    let uncommitted: (readonly [page: number, content: Buffer])[] = [];
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
      uncommitted.push([frame.page, frame.content]);
      if (frame.pagesAfterCommit === 0) continue;
      for (const [page, content] of uncommitted)
        writeSync(target, content, 0, content.length, (page - 1) * content.length);
      ftruncateSync(target, Math.max(frame.pagesAfterCommit * reader.pageBytes, 0));
      uncommitted = [];
    }
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

interface Frame {
  readonly page: number;
  /** Zero unless this is the last page of a transaction. */
  readonly pagesAfterCommit: number;
  readonly content: Buffer;
}

function createReader(source: number) {
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(source, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic !== MAGIC && magic !== MAGIC + 1) return undefined;
  const isBigEndian = magic === MAGIC + 1;
  const pageBytes = header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  const { size } = fstatSync(source);
  let sums = checksum(header.subarray(0, 24), [0, 0], isBigEndian);
  let at = HEADER_BYTES;
  if (sums[0] !== header.readUInt32BE(24) || sums[1] !== header.readUInt32BE(28)) return undefined;

  return {
    pageBytes,
    /** Undefined after the last valid frame. */
    next(): Frame | undefined {
      const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
      if (at + frame.length > size || readSync(source, frame, 0, frame.length, at) < frame.length) return undefined;
      at += frame.length;
      const content = frame.subarray(FRAME_HEADER_BYTES);
      sums = checksum(content, checksum(frame.subarray(0, 8), sums, isBigEndian), isBigEndian);
      const isValid = sums[0] === frame.readUInt32BE(16) && sums[1] === frame.readUInt32BE(20);
      if (!isValid || !frame.subarray(8, 16).equals(salts)) return undefined;
      return { page: frame.readUInt32BE(0), pagesAfterCommit: frame.readUInt32BE(4), content };
    },
  };
}

type Sums = readonly [number, number];

function checksum(bytes: Buffer, [first, second]: Sums, isBigEndian: boolean): Sums {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    const [x, y] = isBigEndian
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    a = (a + x + b) >>> 0;
    b = (b + y + a) >>> 0;
  }
  return [a, b];
}

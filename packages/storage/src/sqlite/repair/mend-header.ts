import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { APPLICATION_ID } from "../migrations.ts";

/** https://www.sqlite.org/fileformat2.html#the_database_header */
const HEADER_BYTES = 100;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
/** Our databases have never had another page size. */
const PAGE_BYTES = 4096;
/** Who may write and read the file: those who know rollback journals, or those who know WALs. */
const VERSIONS: ReadonlySet<number> = new Set([1, 2]);
/** 1 stands for 65536, which two bytes cannot hold. */
const PAGE_SIZES: ReadonlySet<number> = new Set([512, 1024, 2048, PAGE_BYTES, 8192, 16384, 32768, 1]);

/**
 * Rewrites the header of a database file where SQLite could not use it, so that intact pages can be read. Also takes
 * it out of WAL mode: this is a copy, which its WAL has been applied to. Returns whether SQLite could have used it;
 * `foreign` if it could, but no database of ours has such a header. That one is left as it is.
 */
export function mendHeader(file: string): "usable" | "mended" | "foreign" {
  const handle = openSync(file, "r+");
  try {
    const { size } = fstatSync(handle);
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(handle, header, 0, HEADER_BYTES, 0);
    if (isForeign(header)) return "foreign";
    if (size < PAGE_BYTES) return "mended";
    // A torn last page counts as none.
    const pages = Math.floor(size / PAGE_BYTES);
    if (size % PAGE_BYTES !== 0) ftruncateSync(handle, pages * PAGE_BYTES);
    const wasUsable = isUsable(header) && header.readUInt32BE(28) <= pages;
    const mended = isUsable(header) ? header : newHeader();
    mended.writeUInt8(1, 18);
    mended.writeUInt8(1, 19);
    // The size, and the two counters whose agreement makes it count.
    mended.writeUInt32BE(pages, 28);
    mended.writeUInt32BE(mended.readUInt32BE(24), 92);
    writeSync(handle, mended, 0, HEADER_BYTES, 0);
    return wasUsable ? "usable" : "mended";
  } finally {
    closeSync(handle);
  }
}

function isUsable(header: Buffer): boolean {
  return (
    header.subarray(0, MAGIC.length).equals(MAGIC) &&
    header.readUInt16BE(16) === PAGE_BYTES &&
    VERSIONS.has(header.readUInt8(18)) &&
    VERSIONS.has(header.readUInt8(19)) &&
    header.readUInt8(20) === 0 &&
    header.subarray(21, 24).equals(Buffer.from([64, 32, 32])) &&
    header.readUInt32BE(44) === 4 &&
    header.readUInt32BE(56) === 1
  );
}

/** A valid header, without our mark, that has something ours never have: another page size, format or encoding. */
function isForeign(header: Buffer): boolean {
  const [pageBytes, format, encoding] = [header.readUInt16BE(16), header.readUInt32BE(44), header.readUInt32BE(56)];
  return (
    header.subarray(0, MAGIC.length).equals(MAGIC) &&
    header.readUInt32BE(68) !== APPLICATION_ID &&
    VERSIONS.has(header.readUInt8(18)) &&
    VERSIONS.has(header.readUInt8(19)) &&
    header.subarray(21, 24).equals(Buffer.from([64, 32, 32])) &&
    PAGE_SIZES.has(pageBytes) &&
    format >= 1 &&
    format <= 4 &&
    encoding >= 1 &&
    encoding <= 3 &&
    (pageBytes !== PAGE_BYTES || format !== 4 || encoding !== 1)
  );
}

function newHeader(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt16BE(PAGE_BYTES, 16);
  Buffer.from([64, 32, 32]).copy(header, 21);
  // Any change counter, the format of the schema, UTF-8.
  header.writeUInt32BE(1, 24);
  header.writeUInt32BE(4, 44);
  header.writeUInt32BE(1, 56);
  header.writeUInt32BE(APPLICATION_ID, 68);
  return header;
}

/** A record of SQLite: https://www.sqlite.org/fileformat2.html#record_format */
export type RecordValue = null | number | bigint | string | Uint8Array;

/** Throws RangeError if the bytes are no record. */
export function readRecord(payload: Buffer): readonly RecordValue[] {
  const header = readVarint(payload, 0);
  const types: number[] = [];
  for (let at = header.next; at < header.value; ) {
    const type = readVarint(payload, at);
    types.push(type.value);
    at = type.next;
  }
  let at = header.value;
  return types.map((type) => {
    const size = sizeOf(type);
    if (at + size > payload.length) throw new RangeError("The record ends early.");
    const value = toValue(type, payload.subarray(at, at + size));
    at += size;
    return value;
  });
}

/** A number of one to nine bytes. */
export function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let place = 0; place < 8; place += 1) {
    const byte = bytes.readUInt8(at + place);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: at + place + 1 };
  }
  return { value: value * 256 + bytes.readUInt8(at + 8), next: at + 9 };
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function sizeOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  const size = INTEGER_BYTES[type];
  if (size === undefined) throw new RangeError("No such type.");
  return size;
}

function toValue(type: number, bytes: Buffer): RecordValue {
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  return type % 2 === 1 ? bytes.toString("utf8") : Uint8Array.from(bytes);
}

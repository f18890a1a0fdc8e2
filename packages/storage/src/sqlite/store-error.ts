import { StoreError } from "@tacklebox/core";

/** The primary result codes of SQLite that we distinguish (https://www.sqlite.org/rescode.html). */
export const RESULT_CODE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
} as const;

/** Undefined if the error did not come from SQLite. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedResultCode(error);
  // The lower eight bits are the primary code; the upper ones refine it.
  return code === undefined ? undefined : code & 0xff;
}

/** The constraint violations that we distinguish. */
export const CONSTRAINT = { foreignKey: 787, primaryKey: 1555 } as const;

/**
 * The full code, with its upper bits. Undefined if the error did not come from SQLite. Errors of `all` and `iterate`
 * have no code, but SQLite's own text for it, which is constant.
 */
export function extendedResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
  return "code" in error && error.code === "ERR_SQLITE_ERROR" ? CODES_BY_TEXT.get(error.message) : undefined;
}

const CODES_BY_TEXT: ReadonlyMap<string, number> = new Map([
  ["database disk image is malformed", RESULT_CODE.corrupt],
  ["file is not a database", RESULT_CODE.notADatabase],
  ["disk I/O error", RESULT_CODE.inputOutput],
  ["database or disk is full", RESULT_CODE.full],
  ["database is locked", RESULT_CODE.busy],
]);

/** Input and output errors that mean that something stored cannot be read back (short read, read, corrupt file system). */
const READ_FAILURES: ReadonlySet<number | undefined> = new Set([266, 522, 8458]);

/** Whether the error means that the file is damaged. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  const isBroken = code === RESULT_CODE.corrupt || code === RESULT_CODE.notADatabase;
  return isBroken || READ_FAILURES.has(extendedResultCode(error));
}

/** `detail` is a clause, such as `it is empty`. */
export function damaged(file: string, detail = "not all of it can be read", cause?: unknown): StoreError {
  const message =
    `${file} is damaged: ${detail}. Nothing was changed. To keep what can be read and continue with a new file, run: ` +
    "tacklebox doctor --repair";
  return new StoreError("damaged", message, cause);
}

export function toReadError(file: string, cause: unknown): unknown {
  if (cause instanceof StoreError) return cause;
  if (isDamage(cause)) return damaged(file, undefined, cause);
  const code = resultCode(cause);
  if (code === undefined) return cause;
  const reason = READ_REASONS.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
  return new StoreError("cannot-read", `Could not read ${file}: ${reason}.`, cause);
}

const LOCKED = "another process has it locked; try again, or stop that process";

const READ_REASONS: ReadonlyMap<number, string> = new Map([
  [RESULT_CODE.busy, LOCKED],
  [RESULT_CODE.locked, LOCKED],
  [RESULT_CODE.inputOutput, "the disk did not answer; check that it works, then try again"],
  [RESULT_CODE.full, "the disk is full; free some space and try again"],
]);

const WRITE_FAILURES: ReadonlyMap<number, string> = new Map([
  [RESULT_CODE.busy, LOCKED],
  [RESULT_CODE.locked, LOCKED],
  [RESULT_CODE.readOnly, "it is read-only; make it writable for this user"],
  [RESULT_CODE.inputOutput, "the disk could not be written; check that it has space and works, then try again"],
  [RESULT_CODE.full, "the disk is full; free some space and try again"],
  [RESULT_CODE.tooBig, "the entry is larger than the database can hold"],
]);

export function toWriteError(file: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  if (isDamage(cause)) return damaged(file, undefined, cause);
  const known = WRITE_FAILURES.get(resultCode(cause) ?? -1);
  // SQLite's messages name tables and columns, never their contents.
  const reason = known ?? (cause instanceof Error ? cause.message : String(cause));
  return new StoreError("write-failed", `Could not write to ${file}: ${reason}.`, cause);
}

/** The disk may have lost what it was to sync. */
export function toSyncError(file: string, cause: unknown): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message =
    `Could not write to ${file}: the disk refused the write (${reason}). Nothing more is written to it until Tacklebox is ` +
    "restarted. Check the disk first.";
  return new StoreError("write-failed", message, cause);
}

export function toRepairError(file: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `Could not repair ${file}: ${reason}. Nothing was lost. Fix the cause, then run it again: tacklebox doctor --repair`;
  return new StoreError("write-failed", message, cause);
}

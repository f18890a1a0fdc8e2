export type StoreErrorCode =
  | "cannot-open"
  | "not-a-database"
  | "another-program"
  | "newer-version"
  | "write-failed"
  | "damaged-row"
  | "closed";

/** The world is broken as far as the store can tell. The message is for people: what happened, where, what next. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** SQLite's primary result codes that we tell apart (https://www.sqlite.org/rescode.html). */
export const RESULT_CODE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
} as const;

/** Undefined when the error did not come from SQLite. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  // The upper bits say which kind of it, the lower eight are the primary code.
  return error.errcode & 0xff;
}

const WRITE_FAILURES: ReadonlyMap<number, string> = new Map([
  [RESULT_CODE.busy, "another process keeps it locked; try again, or end that process"],
  [RESULT_CODE.locked, "another process keeps it locked; try again, or end that process"],
  [RESULT_CODE.readOnly, "it is read-only; make it writable for this user"],
  [RESULT_CODE.full, "the disk is full; free some space and try again"],
  [RESULT_CODE.corrupt, "it is damaged; move it away and start with a new one"],
  [RESULT_CODE.tooBig, "the entry is larger than the database can hold"],
]);

export function toWriteError(file: string, cause: unknown): StoreError {
  const known = WRITE_FAILURES.get(resultCode(cause) ?? -1);
  // SQLite's texts name tables and columns, never what is in them.
  const reason = known ?? (cause instanceof Error ? cause.message : String(cause));
  return new StoreError("write-failed", `Could not write to ${file}: ${reason}.`, cause);
}

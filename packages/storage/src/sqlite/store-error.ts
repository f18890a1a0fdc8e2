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

/** The full code, with its upper bits. Undefined if the error did not come from SQLite. */
export function extendedResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode;
}

const WRITE_FAILURES: ReadonlyMap<number, string> = new Map([
  [RESULT_CODE.busy, "another process keeps it locked; try again, or end that process"],
  [RESULT_CODE.locked, "another process keeps it locked; try again, or end that process"],
  [RESULT_CODE.readOnly, "it is read-only; make it writable for this user"],
  [RESULT_CODE.inputOutput, "the disk did not take it; check that it has space and works, then try again"],
  [RESULT_CODE.full, "the disk is full; free some space and try again"],
  [RESULT_CODE.corrupt, "it is damaged; move it away and start with a new one"],
  [RESULT_CODE.tooBig, "the entry is larger than the database can hold"],
]);

export function toWriteError(file: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const known = WRITE_FAILURES.get(resultCode(cause) ?? -1);
  // SQLite's messages name tables and columns, never their contents.
  const reason = known ?? (cause instanceof Error ? cause.message : String(cause));
  return new StoreError("write-failed", `Could not write to ${file}: ${reason}.`, cause);
}

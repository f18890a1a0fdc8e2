export type StoreErrorCode =
  | "cannot-open"
  | "not-a-database"
  | "another-program"
  | "newer-version"
  | "write-failed"
  /** Somebody else changed the same thing meanwhile; nothing was written. */
  | "conflict"
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

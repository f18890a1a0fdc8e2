import { STALE_AFTER_MS } from "./members.ts";

export type StoreErrorCode =
  | "cannot-open"
  /** The file cannot be read, or not all of it. `tacklebox doctor --repair` keeps what can be. */
  | "damaged"
  | "another-program"
  | "newer-version"
  | "cannot-read"
  | "write-failed"
  /** Another writer changed the same thing in the meantime; nothing was written. */
  | "conflict"
  /** Another process declared this one dead; it may write nothing more. */
  | "declared-dead"
  | "damaged-row"
  | "closed";

/** The store failed for a reason outside the program. The message is for people: what happened, where, what next. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

export function declaredDead(store: string): StoreError {
  const message =
    `Another process took this one for dead, because nothing was heard of it for ${STALE_AFTER_MS / 1_000} s, and ended its ` +
    "open calls: it was suspended, or the clocks of the two disagree. " +
    `Nothing more is written to ${store}; restart this process.`;
  return new StoreError("declared-dead", message);
}

/** Why the engine could not do what it was asked; calls have endings instead. Closed, so that doors map each one. */
export const FAILURE_CODES = [
  /** The server, session, run, GPT … does not exist. */
  "not-found",
  /** It exists already, or the config file defines it, which takes precedence. */
  "conflict",
  /** A name, cursor or other value is not valid. */
  "invalid",
  "disabled",
  "denied",
  /** Nothing of the request was sent. */
  "unreachable",
  "sign-in-needed",
  "timed-out",
  /** The connection was lost before the server answered, so the request may have been carried out. */
  "interrupted",
  "cancelled",
  /** The server refused, or its answer violates the protocol. */
  "protocol-error",
  "oversize",
  /** The vault's key is missing or wrong. */
  "locked",
  /** The stored data cannot be read. */
  "damaged",
  /** The engine cannot do this, or no longer: it has no vault, or is stopping. */
  "unavailable",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** `message` is safe to show: it holds no secret and says what happened and what to do next. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

/** A value or an expected failure, which is returned rather than thrown. */
export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: Failure };

export function failed(code: FailureCode, message: string): { readonly kind: "failed"; readonly failure: Failure } {
  return { kind: "failed", failure: { code, message } };
}

/** A mistake of the code that uses the engine, such as an id that was used before. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Why the engine could not do what it was asked, other than a call: those have endings. Closed, so that every door maps each one. */
export const FAILURE_CODES = [
  /** There is no such server, session, run, GPT … */
  "not-found",
  /** It is there already, or the config file has it, which wins. */
  "conflict",
  /** What was given cannot be: a name, a cursor, a value. */
  "invalid",
  "disabled",
  "denied",
  /** No byte of the request left. */
  "unreachable",
  "sign-in-needed",
  "timed-out",
  /** The server went away before it answered: what was asked may have been done. */
  "interrupted",
  "cancelled",
  /** The server's answer has no place in the protocol, or it said no. */
  "protocol-error",
  "oversize",
  /** The vault's key is not at hand, or is another one. */
  "locked",
  /** What is stored cannot be read. */
  "damaged",
  /** Not here, or not any more: the engine is stopping, or has no vault. */
  "unavailable",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** `message` is safe to show: no secret, what happened and what to do next. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

/** An expected failure is a value. */
export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "failed"; readonly failure: Failure };

export function failed(code: FailureCode, message: string): { readonly kind: "failed"; readonly failure: Failure } {
  return { kind: "failed", failure: { code, message } };
}

/** A mistake of whoever holds the engine, such as an id that was used before. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

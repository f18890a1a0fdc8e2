import type { CallOutcome, Ending, Failure, FailureCode, RunEnd } from "@tacklebox/core";

/** The program's exit statuses. Scripts depend on these numbers. */
export const EXIT = {
  ok: 0,
  couldNotStart: 1,
  usage: 2,
  callFailed: 3,
  denied: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const EXIT_OF_ENDING = {
  "unknown-tool": EXIT.callFailed,
  "invalid-arguments": EXIT.callFailed,
  denied: EXIT.denied,
  "approval-expired": EXIT.denied,
  limit: EXIT.callFailed,
  "log-unavailable": EXIT.callFailed,
  unreachable: EXIT.callFailed,
  "sign-in-needed": EXIT.callFailed,
  "timed-out": EXIT.callFailed,
  interrupted: EXIT.callFailed,
  cancelled: EXIT.interrupted,
  "protocol-error": EXIT.callFailed,
  oversize: EXIT.callFailed,
  "tool-error": EXIT.callFailed,
} as const satisfies Record<Ending, ExitCode>;

export function exitCodeOf(outcome: CallOutcome): ExitCode {
  return outcome.status === "success" ? EXIT.ok : EXIT_OF_ENDING[outcome.failure.ending];
}

const EXIT_OF_FAILURE = {
  "not-found": EXIT.callFailed,
  conflict: EXIT.couldNotStart,
  invalid: EXIT.usage,
  disabled: EXIT.callFailed,
  denied: EXIT.denied,
  unreachable: EXIT.callFailed,
  "sign-in-needed": EXIT.callFailed,
  "timed-out": EXIT.callFailed,
  interrupted: EXIT.callFailed,
  cancelled: EXIT.interrupted,
  "protocol-error": EXIT.callFailed,
  oversize: EXIT.callFailed,
  locked: EXIT.couldNotStart,
  damaged: EXIT.couldNotStart,
  unavailable: EXIT.couldNotStart,
} as const satisfies Record<FailureCode, ExitCode>;

export function exitCodeOfFailure({ code }: Failure): ExitCode {
  return EXIT_OF_FAILURE[code];
}

const EXIT_OF_END = {
  done: EXIT.ok,
  // The answer was cut off.
  length: EXIT.callFailed,
  refused: EXIT.callFailed,
  "too-many-rounds": EXIT.callFailed,
  "model-error": EXIT.callFailed,
  "not-started": EXIT.couldNotStart,
  "session-not-kept": EXIT.callFailed,
  interrupted: EXIT.callFailed,
  cancelled: EXIT.interrupted,
} as const satisfies Record<RunEnd["reason"], ExitCode>;

export function exitCodeOfRun({ reason }: RunEnd): ExitCode {
  return EXIT_OF_END[reason];
}

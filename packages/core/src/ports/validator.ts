import type { StopSignal } from "../async/stop.ts";
import type { ArgumentProblem } from "../domain/call.ts";
import type { JsonSchema } from "../json/json.ts";

type Problems = readonly ArgumentProblem[];

/** Checks values against the schemas of servers, which may be made to take for ever. */
export interface Validator {
  /**
   * An empty list means valid. At once where the check is cheap, so that most calls wait for nothing here.
   * Rejects, with a reason for people, when the check cannot be finished.
   */
  check(schema: JsonSchema, value: unknown, signal: StopSignal): Problems | Promise<Problems>;
}

export interface ValidationJob {
  /** The schema as JSON text, which also names it. */
  readonly schema: string;
  readonly value: unknown;
}

export type ValidationAnswer =
  | { readonly kind: "checked"; readonly problems: readonly ArgumentProblem[] }
  | { readonly kind: "unfinished"; readonly reason: string };

/** Somewhere else to run a check that may take long, and that can be ended in the middle of it. */
export interface ValidationWorker {
  /**
   * One job at a time. `onStart` is called when the worker begins with it.
   * Rejects when the worker ends before it has answered, for whatever reason.
   */
  check(job: ValidationJob, onStart: () => void): Promise<ValidationAnswer>;
  /** At once, in the middle of a job too. */
  stop(): void;
}

export type StartValidationWorker = () => Promise<ValidationWorker>;

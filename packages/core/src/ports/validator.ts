import type { StopSignal } from "../async/stop.ts";
import type { ArgumentProblem } from "../domain/call.ts";
import type { JsonSchema } from "../json/json.ts";

type Problems = readonly ArgumentProblem[];

/** Checks values against schemas that servers sent, which may be crafted to take forever. */
export interface Validator {
  /**
   * Returns an empty list if the value is valid. Synchronous if the check is cheap, so that most calls do not wait
   * here. Rejects, with a reason for people, if the check cannot be finished.
   */
  check(schema: JsonSchema, value: unknown, signal: StopSignal): Problems | Promise<Problems>;
}

export interface ValidationJob {
  /** The schema as JSON text, which also serves as its key. */
  readonly schema: string;
  readonly value: unknown;
}

export type ValidationAnswer =
  | { readonly kind: "checked"; readonly problems: readonly ArgumentProblem[] }
  | { readonly kind: "unfinished"; readonly reason: string };

/** A thread for checks that may take long; it can be stopped in the middle of one. */
export interface ValidationWorker {
  /**
   * Runs one job at a time. `onStart` is called when the worker begins the job.
   * Rejects if the worker ends, for any reason, before it has answered.
   */
  check(job: ValidationJob, onStart: () => void): Promise<ValidationAnswer>;
  /** Stops the worker at once, even in the middle of a job. */
  stop(): void;
}

export type StartValidationWorker = () => Promise<ValidationWorker>;

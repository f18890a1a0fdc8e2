import type { ValidationAnswer, ValidationJob } from "@tacklebox/core";

/** A message from the main thread to the worker. */
export type ToWorker = ValidationJob;

/** A message from the worker. It reports when a job begins, because the job's deadline counts from then. */
export type FromWorker =
  | { readonly kind: "started" }
  | { readonly kind: "answered"; readonly answer: ValidationAnswer };

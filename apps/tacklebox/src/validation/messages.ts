import type { ValidationAnswer, ValidationJob } from "@tacklebox/core";

/** What the engine's thread sends. */
export type ToWorker = ValidationJob;

/** What the worker sends. It says when it begins, because the deadline counts from then. */
export type FromWorker =
  | { readonly kind: "started" }
  | { readonly kind: "answered"; readonly answer: ValidationAnswer };

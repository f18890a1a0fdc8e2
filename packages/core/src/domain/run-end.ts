import type { ModelErrorCode } from "./model.ts";

export type RunEnd =
  | { readonly reason: "done" | "length" | "refused" | "cancelled" }
  | { readonly reason: "too-many-rounds"; readonly message: string }
  /** There is no such GPT, model or session; nothing was sent. */
  | { readonly reason: "not-started"; readonly message: string }
  /** The store refused what was said, such as on a full disk. */
  | { readonly reason: "session-not-kept"; readonly message: string }
  | {
      readonly reason: "model-error";
      readonly code: ModelErrorCode;
      readonly message: string;
      /** How long the vendor asks to wait, where it says so. */
      readonly retryAfterMs?: number;
    };

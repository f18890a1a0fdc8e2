import type { ApprovalMode } from "@tacklebox/core";

/** Repeated here, because help must not load the engine. */
export const APPROVAL_MODES = ["auto", "always-ask", "trusted-only"] as const satisfies readonly ApprovalMode[];

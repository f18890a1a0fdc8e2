import type { ApprovalRequest } from "@tacklebox/core";

/** An approval request for tests. */
export const APPROVAL_REQUEST: ApprovalRequest = {
  callId: "c1",
  tool: { scope: "session", server: "s", name: "t" },
  shownName: "t",
  arguments: {},
  argumentsDigest: "digest",
  fingerprint: "print",
  reason: "always-ask",
  definition: {},
  lasting: ["once", "session", "always"],
  expiresAt: Number.MAX_SAFE_INTEGER,
};

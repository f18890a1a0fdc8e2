import type { Approver } from "./approver.ts";

/** The approver of doors without a person: every approval is denied, with a reason that says why. */
export const headlessApprover: Approver = {
  ask: async () => ({
    answer: {
      kind: "deny",
      reason: "it needs approval and nobody can answer here. Set approval: auto for the tool or its server to allow it",
    },
  }),
};

import type { Approver } from "./approver.ts";

/** For doors with nobody behind them: asking means no, said clearly (D.9). */
export const headlessApprover: Approver = {
  ask: async () => ({
    answer: {
      kind: "deny",
      reason: "it needs approval and nobody can answer here. Set approval: auto for the tool or its server to allow it",
    },
  }),
};

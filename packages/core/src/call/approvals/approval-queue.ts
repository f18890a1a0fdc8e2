import type { ApprovalAnswer, ApprovalRequest } from "../../domain/approval.ts";
import type { Approver } from "./approver.ts";

/** All approvals that wait for a person, shared by all doors. */
export interface ApprovalQueue extends Approver {
  list(): readonly ApprovalRequest[];
  /**
   * The first answer wins and is in effect when this resolves. Resolves to false if no approval waits for this call.
   */
  answer(callId: string, answer: ApprovalAnswer): Promise<boolean>;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly take: (answer: ApprovalAnswer) => Promise<void>;
}

/** More than a person would look through: whatever asks this often is stuck in a loop, or no one is there to answer. */
export const MAX_APPROVALS = 200;

export function createApprovalQueue(): ApprovalQueue {
  const waiting = new Map<string, Waiting>();
  return {
    isFull: () => waiting.size >= MAX_APPROVALS,
    ask(request, signal) {
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(request.callId);
          signal.removeEventListener("abort", withdraw);
        };
        const withdraw = () => {
          leave();
          reject(new DOMException("The question was withdrawn", "AbortError"));
        };
        if (signal.aborted) return withdraw();
        signal.addEventListener("abort", withdraw);
        waiting.set(request.callId, {
          request,
          take(answer) {
            leave();
            return new Promise((inEffect) => resolve({ answer, inEffect }));
          },
        });
      });
    },
    list: () => Array.from(waiting.values(), ({ request }) => request),
    async answer(callId, answer) {
      const asked = waiting.get(callId);
      await asked?.take(answer);
      return asked !== undefined;
    },
  };
}

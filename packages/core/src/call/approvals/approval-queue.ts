import type { ApprovalAnswer, ApprovalRequest } from "../../domain/approval.ts";
import type { Approver } from "./approver.ts";

/** Everything that waits for a person, in one place, whichever door they look through. */
export interface ApprovalQueue extends Approver {
  list(): readonly ApprovalRequest[];
  /** The first answer wins, and is in effect when this resolves; false when nothing waits under this id. */
  answer(callId: string, answer: ApprovalAnswer): Promise<boolean>;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly take: (answer: ApprovalAnswer) => Promise<void>;
}

/** More than anybody looks through: whatever asks so much goes round in circles, or nobody is there. */
export const MOST_APPROVALS = 200;

export function createApprovalQueue(): ApprovalQueue {
  const waiting = new Map<string, Waiting>();
  return {
    isFull: () => waiting.size >= MOST_APPROVALS,
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

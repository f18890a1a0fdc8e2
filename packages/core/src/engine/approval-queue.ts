import type { ApprovalAnswer, ApprovalRequest } from "../domain/approval.ts";
import type { Approver } from "../ports/approver.ts";

/** Everything that waits for a person, in one place, whichever door they look through. */
export interface ApprovalQueue extends Approver {
  list(): readonly ApprovalRequest[];
  /** The first answer wins, and is in effect when this resolves; false when nothing waits under this id. */
  answer(callId: string, answer: ApprovalAnswer): Promise<boolean>;
  /** The answer to this question is in effect: it is remembered, and other questions that it settles are gone. */
  took(callId: string): void;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly resolve: (answer: ApprovalAnswer) => void;
}

export function createApprovalQueue(): ApprovalQueue {
  const waiting = new Map<string, Waiting>();
  const taking = new Map<string, () => void>();
  return {
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
          resolve: (answer) => {
            leave();
            resolve(answer);
          },
        });
      });
    },
    list: () => Array.from(waiting.values(), ({ request }) => request),
    async answer(callId, answer) {
      const asked = waiting.get(callId);
      if (asked === undefined) return false;
      const taken = new Promise<void>((resolve) => taking.set(callId, resolve));
      asked.resolve(answer);
      await taken;
      return true;
    },
    took(callId) {
      taking.get(callId)?.();
      taking.delete(callId);
    },
  };
}

import type { ApprovalAnswer, ApprovalRequest } from "../domain/approval.ts";
import type { Approver } from "../ports/approver.ts";

export interface ScriptedApprover extends Approver {
  readonly asked: ApprovalRequest[];
}

/** Answers approvals as a test says; never answers when there is no answer left. */
export function createScriptedApprover(...answers: ((request: ApprovalRequest) => ApprovalAnswer)[]): ScriptedApprover {
  const asked: ApprovalRequest[] = [];
  return {
    asked,
    ask(request, signal) {
      asked.push(request);
      const answer = answers.shift();
      if (answer !== undefined) return Promise.resolve(answer(request));
      return new Promise((_resolve, reject) => {
        const abort = () => reject(new DOMException("The question was withdrawn", "AbortError"));
        signal.addEventListener("abort", abort);
        if (signal.aborted) abort();
      });
    },
  };
}

export function allow(request: ApprovalRequest): ApprovalAnswer {
  return { kind: "allow", argumentsDigest: request.argumentsDigest, fingerprint: request.fingerprint };
}

import type { Approver } from "../call/approvals/approver.ts";
import { listen } from "../client/listen.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../domain/approval.ts";
import type { Engine } from "../engine.ts";

export interface ScriptedApprover extends Approver {
  readonly asked: ApprovalRequest[];
}

/** Answers approval requests with the given answers, in order; afterwards it never answers. */
export function createScriptedApprover(...answers: ((request: ApprovalRequest) => ApprovalAnswer)[]): ScriptedApprover {
  const asked: ApprovalRequest[] = [];
  return {
    asked,
    ask(request, signal) {
      asked.push(request);
      const answer = answers.shift();
      if (answer !== undefined) return Promise.resolve({ answer: answer(request) });
      return new Promise((_resolve, reject) => {
        const abort = () => reject(new DOMException("The question was withdrawn", "AbortError"));
        signal.addEventListener("abort", abort);
        if (signal.aborted) abort();
      });
    },
  };
}

export function allow(request: ApprovalRequest): Extract<ApprovalAnswer, { kind: "allow" }> {
  return { kind: "allow", argumentsDigest: request.argumentsDigest, fingerprint: request.fingerprint };
}

/** Lets an approver answer an engine's approval requests, as a person would. Returns a function that stops it. */
export function answerApprovals(engine: Engine, approver: Approver): () => void {
  const never = new AbortController().signal;
  return listen(engine, (event) => {
    if (event.type !== "approval-requested") return;
    const { request } = event;
    void approver.ask(request, never).then(({ answer }) => engine.approvals.answer(request.callId, answer));
  });
}

import type { Approver } from "../call/approvals/approver.ts";
import { listen } from "../client/listen.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../domain/approval.ts";
import type { Engine } from "../engine.ts";

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

/** Puts an approver behind an engine, as a door with a person does. Returns the function that ends it. */
export function answerApprovals(engine: Engine, approver: Approver): () => void {
  const never = new AbortController().signal;
  return listen(engine, (event) => {
    if (event.type !== "approval-requested") return;
    const { request } = event;
    void approver.ask(request, never).then(({ answer }) => engine.approvals.answer(request.callId, answer));
  });
}

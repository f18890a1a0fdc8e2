import type { ApprovalRequest, Engine } from "@tacklebox/core";
import type { Peer } from "../rpc/peer.ts";
import { type CallUpdateContext, toAskedCall } from "../updates/run-updates.ts";
import { toApprovalAnswer, toPermissionOptions } from "./permission.ts";

/** Asks the person in the editor to approve the calls of one session. */
export interface ApprovalRelay {
  /** Resolves when the engine has the answer, or no longer needs one. */
  ask(request: ApprovalRequest): Promise<void>;
  /** Withdraws a request that was answered elsewhere or is no longer needed. */
  withdraw(callId: string): void;
  withdrawAll(): void;
}

export interface ApprovalRelayDeps {
  readonly engine: Pick<Engine, "approvals">;
  readonly peer: Pick<Peer, "request">;
  readonly sessionId: string;
  readonly callContext: (shownName: string) => Promise<CallUpdateContext>;
}

export function createApprovalRelay({ engine, peer, sessionId, callContext }: ApprovalRelayDeps): ApprovalRelay {
  /** Open requests, by call id. */
  const asking = new Map<string, AbortController>();

  function withdraw(callId: string): void {
    asking.get(callId)?.abort();
    asking.delete(callId);
  }

  return {
    async ask(request) {
      const { callId, shownName } = request;
      const question = new AbortController();
      asking.set(callId, question);
      try {
        const toolCall = toAskedCall(request, await callContext(shownName));
        const params = { sessionId, toolCall, options: toPermissionOptions(request) };
        const response = await peer.request("session/request_permission", params, question.signal);
        await engine.approvals.answer(callId, toApprovalAnswer(response, request));
      } catch (error) {
        // The request was withdrawn, so the engine needs no answer.
        if (question.signal.aborted) return;
        const detail = error instanceof Error ? error.message : String(error);
        await engine.approvals.answer(callId, { kind: "deny", reason: `the editor could not ask. ${detail}` });
      }
    },
    withdraw,
    withdrawAll() {
      for (const callId of asking.keys()) withdraw(callId);
    },
  };
}

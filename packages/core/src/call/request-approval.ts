import type { ApprovalAnswer, ApprovalRequest, Decision } from "../domain/approval.ts";
import type { ApprovedCall, CallFailure, CheckedCall } from "../domain/call.ts";
import type { EngineEvent } from "../domain/events.ts";
import { canonicalJson, type JsonObject } from "../domain/json.ts";
import type { Approver } from "../ports/approver.ts";
import type { Clock } from "../ports/clock.ts";
import type { Hasher } from "../ports/hasher.ts";

export interface ApprovalPorts {
  readonly approver: Approver;
  readonly clock: Clock;
  readonly hasher: Hasher;
  readonly emit: (event: EngineEvent) => void;
}

export type Approval =
  | { readonly kind: "approved"; readonly call: ApprovedCall }
  /** The person changed the arguments: they must pass the schema before this yes counts. */
  | { readonly kind: "edited"; readonly arguments: JsonObject }
  | { readonly kind: "ended"; readonly failure: CallFailure };

const ANSWER_WITHIN_MS = 10 * 60_000;

/** The only maker of approved calls: policy allowed it, or a person said yes to exactly this tool with these arguments. */
export async function requestApproval(
  call: CheckedCall,
  decision: Decision,
  fingerprint: string,
  ports: ApprovalPorts,
  signal: AbortSignal,
): Promise<Approval> {
  if (decision.kind === "deny") return denied(decision.reason);
  if (decision.kind === "allow") return approve(call, decision);

  const request: ApprovalRequest = {
    callId: call.id,
    tool: call.registered.ref,
    shownName: call.registered.shownName,
    arguments: call.arguments,
    argumentsDigest: await ports.hasher.sha256(canonicalJson(call.arguments)),
    fingerprint,
    reason: decision.reason,
    expiresAt: ports.clock.now() + ANSWER_WITHIN_MS,
  };
  ports.emit({ type: "approval-requested", request });
  const answer = await askInTime(request, ports, signal);
  ports.emit({
    type: "approval-answered",
    callId: call.id,
    answer: answer.kind === "cancelled" ? "deny" : answer.kind,
  });

  if (answer.kind === "cancelled") return ended("cancelled", "The call was cancelled while it waited for approval");
  if (answer.kind === "expired")
    return ended("approval-expired", `Nobody answered the approval of tool '${request.shownName}' in time`);
  if (answer.kind === "deny") return denied(answer.reason ?? "the person who was asked said no");
  if (answer.argumentsDigest !== request.argumentsDigest || answer.fingerprint !== fingerprint)
    return denied("the answer was given for other arguments or another definition of the tool");
  if (answer.editedArguments !== undefined) return { kind: "edited", arguments: answer.editedArguments };
  return approve(call, decision);
}

/** The person said yes to arguments of their own, and these have passed the schema. */
export function approveEdited(call: CheckedCall, decision: Decision): ApprovedCall {
  return { ...call, decision } as ApprovedCall;
}

async function askInTime(
  request: ApprovalRequest,
  { approver, clock }: ApprovalPorts,
  signal: AbortSignal,
): Promise<ApprovalAnswer | { readonly kind: "expired" } | { readonly kind: "cancelled" }> {
  const asking = new AbortController();
  return new Promise((resolve, reject) => {
    const finish = (answer: Parameters<typeof resolve>[0]) => {
      withdraw();
      signal.removeEventListener("abort", cancel);
      asking.abort();
      resolve(answer);
    };
    const cancel = () => finish({ kind: "cancelled" });
    const withdraw = clock.after(ANSWER_WITHIN_MS, () => finish({ kind: "expired" }));
    signal.addEventListener("abort", cancel);
    if (signal.aborted) return cancel();
    approver.ask(request, asking.signal).then(
      (answer) => finish(clock.now() > request.expiresAt ? { kind: "expired" } : answer),
      (error: unknown) => (asking.signal.aborted ? undefined : reject(error)),
    );
  });
}

function approve(call: CheckedCall, decision: Decision): Approval {
  return { kind: "approved", call: approveEdited(call, decision) };
}

function denied(reason: string): Approval {
  return ended("denied", `Tool call denied: ${reason}`);
}

function ended(ending: CallFailure["ending"], message: string): Approval {
  return { kind: "ended", failure: { ending, message } };
}

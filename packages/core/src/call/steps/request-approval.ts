import type { StopSignal } from "../../async/stop.ts";
import type { ApprovalAnswer, ApprovalLasting, ApprovalRequest, Decision } from "../../domain/approval.ts";
import type { ApprovedCall, CallFailure, CheckedCall } from "../../domain/call.ts";
import type { EngineEvent } from "../../domain/events.ts";
import type { Grant } from "../../domain/grant.ts";
import { canonicalJson, type JsonObject } from "../../json/json.ts";
import { mirroredText } from "../../json/mirrored-arguments.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Hasher } from "../../ports/hasher.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Grants } from "../../ports/store.ts";
import { redactJson } from "../../secrets/redact.ts";
import { redactTexts } from "../../secrets/redact-texts.ts";
import type { Approver } from "../approvals/approver.ts";

/** What the person is shown besides the arguments, and what a remembered answer applies to. */
export interface ApprovalSubject {
  readonly fingerprint: string;
  readonly sessionId?: string;
  /** The definition that was approved before, if it differs from the current one. */
  readonly changedFrom?: JsonObject;
  /** Decides again with the current state: the answer to another approval may settle this one too. */
  readonly decideAgain: () => Promise<Decision>;
}

export interface ApprovalDeps {
  readonly approver: Approver;
  readonly grants: Grants;
  /** Subscribes to saved grants; a listener is awaited before the call that the answer was for goes on. */
  readonly onGrant: (listener: () => Promise<void>) => () => void;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly hasher: Hasher;
  readonly emit: (event: EngineEvent) => void;
  readonly logger: Logger;
  readonly redact: Redactor;
}

export type PolicyAnswer =
  | { readonly kind: "approved"; readonly call: ApprovedCall }
  | { readonly kind: "ended"; readonly failure: CallFailure };

export type Approval =
  | PolicyAnswer
  /** The person changed the arguments, which must pass the schema before the approval counts. */
  | { readonly kind: "edited"; readonly arguments: JsonObject };

const ANSWER_WITHIN_MS = 10 * 60_000;

/**
 * Settles a call without asking, if policy allows or denies it; returns undefined if a person has to be asked. Approved
 * calls are made only here and after a person approved exactly this tool with these arguments.
 */
export function settleByPolicy(call: CheckedCall, decision: Decision): PolicyAnswer | undefined {
  if (decision.kind === "ask") return undefined;
  return decision.kind === "deny" ? denied(decision.reason) : approve(call, decision);
}

/** Asks a person to approve the call. */
export async function requestApproval(
  call: CheckedCall,
  decision: Decision,
  subject: ApprovalSubject,
  deps: ApprovalDeps,
  signal: StopSignal,
): Promise<Approval> {
  // People see redacted arguments; the digest is computed from the original ones.
  const { redact } = deps;
  const { changedFrom } = subject;
  const request: ApprovalRequest = {
    callId: call.id,
    tool: call.registered.ref,
    shownName: call.registered.shownName,
    arguments: redactJson(redact, call.arguments),
    argumentsDigest: await deps.hasher.sha256(canonicalJson(call.arguments)),
    fingerprint: subject.fingerprint,
    reason: redact(withHeaders(decision.reason, call)),
    definition: redactTexts(call.registered.tool.raw, redact),
    ...(subject.sessionId !== undefined && { sessionId: subject.sessionId }),
    ...(changedFrom !== undefined && { changedFrom: redactTexts(changedFrom, redact) }),
    lasting: lastingFor(decision, subject),
    expiresAt: deps.clock.now() + ANSWER_WITHIN_MS,
  };
  // There is no await between this check and asking, so that calls that come all at once are counted correctly.
  if (deps.approver.isFull?.() === true) return ended("limit", tooManyText(call));
  deps.emit({ type: "approval-requested", request });
  let reply: Reply | undefined;
  let result: ReturnType<typeof toEventAnswer> = "deny";
  try {
    reply = await askInTime(request, subject, deps, signal);
    const approval = await takeAnswer(reply.answer, call, request, deps);
    result = toEventAnswer(reply.answer);
    return approval;
  } finally {
    // Whatever was thrown, the question is closed for everyone who was shown it.
    deps.emit({ type: "approval-answered", callId: call.id, answer: result });
    // The answering side waits for this, so that it no longer lists approvals which the answer has settled.
    reply?.inEffect?.();
  }
}

/** Says which arguments are read by more than the server (T14). */
function withHeaders(reason: string, { registered }: CheckedCall): string {
  const { mirrored } = registered.tool;
  return mirrored === undefined ? reason : `${reason}. Arguments repeated in HTTP headers: ${mirroredText(mirrored)}`;
}

function tooManyText({ registered }: CheckedCall): string {
  return `Tool '${registered.shownName}' needs approval, and too many calls wait for one already. Answer those first`;
}

interface Reply {
  readonly answer: Answer;
  readonly inEffect?: (() => void) | undefined;
}

type Answer =
  | ApprovalAnswer
  /** The answer to another approval settled this one as well. */
  | { readonly kind: "settled"; readonly decision: Decision }
  | { readonly kind: "expired" }
  | { readonly kind: "cancelled" };

async function takeAnswer(
  answer: Answer,
  call: CheckedCall,
  request: ApprovalRequest,
  deps: ApprovalDeps,
): Promise<Approval> {
  if (answer.kind === "cancelled") return ended("cancelled", "The call was cancelled while it waited for approval");
  if (answer.kind === "expired")
    return ended("approval-expired", `Nobody answered the approval of tool '${request.shownName}' in time`);
  if (answer.kind === "settled")
    return answer.decision.kind === "allow" ? approve(call, answer.decision) : denied(answer.decision.reason);
  if (answer.kind === "deny") {
    await remember(request, answer, deps);
    return denied(answer.reason ?? "the person who was asked said no");
  }
  if (answer.argumentsDigest !== request.argumentsDigest || answer.fingerprint !== request.fingerprint)
    return denied("the answer was given for other arguments or another definition of the tool");
  if (answer.editedArguments !== undefined) return { kind: "edited", arguments: answer.editedArguments };
  const kept = await remember(request, answer, deps);
  return approve(call, { kind: "allow", layer: "person", reason: `allowed ${HOW_LONG[kept]}` });
}

function toEventAnswer(answer: Answer): "allow" | "deny" | "expired" {
  if (answer.kind === "settled") return answer.decision.kind === "allow" ? "allow" : "deny";
  return answer.kind === "cancelled" ? "deny" : answer.kind;
}

const HOW_LONG = {
  once: "once",
  session: "for this session",
  always: "always",
} as const satisfies Record<ApprovalLasting, string>;

/** Which durations to offer: a tool whose settings say `ask` can be allowed for the session at most. */
function lastingFor(decision: Decision, { sessionId }: ApprovalSubject): readonly ApprovalLasting[] {
  const session: readonly ApprovalLasting[] = sessionId === undefined ? [] : ["session"];
  return decision.layer === "door" ? ["once", ...session, "always"] : ["once", ...session];
}

/** Saves an answer if it lasts, and returns how long it counts. A duration that was not offered counts as `once`. */
async function remember(
  request: ApprovalRequest,
  answer: ApprovalAnswer,
  { grants, newId, clock, logger, redact }: ApprovalDeps,
): Promise<ApprovalLasting> {
  const { lasting = "once", kind } = answer;
  if (lasting === "once" || !request.lasting.includes(lasting)) return "once";
  const { scope, server, name } = request.tool;
  const grant: Grant = {
    id: newId(),
    verdict: kind,
    ...(lasting === "session" && request.sessionId !== undefined && { sessionId: request.sessionId }),
    scope,
    server,
    tool: name,
    fingerprint: request.fingerprint,
    definition: request.definition,
    ...(answer.kind === "deny" && answer.reason !== undefined && { reason: redact(answer.reason) }),
    createdAt: new Date(clock.now()).toISOString(),
  };
  try {
    await grants.save(grant);
  } catch (error) {
    // The answer still counts for this call; the person is asked again next time, as if they had chosen "once".
    const detail = error instanceof Error ? error.message : String(error);
    logger.log("warn", `The answer about tool '${request.shownName}' could not be saved, so it counts once: ${detail}`);
    return "once";
  }
  return lasting;
}

/** Approves a call with arguments that the person edited, after these have passed the schema. */
export function approveEdited(call: CheckedCall): ApprovedCall {
  return toApproved(call, { kind: "allow", layer: "person", reason: "allowed once, with edited arguments" });
}

async function askInTime(
  request: ApprovalRequest,
  { decideAgain }: ApprovalSubject,
  { approver, clock, onGrant, logger }: ApprovalDeps,
  signal: StopSignal,
): Promise<Reply> {
  const asking = new AbortController();
  const expiresAt = clock.monotonic() + ANSWER_WITHIN_MS;
  let cancelTimer: () => void = () => undefined;
  let unsubscribe: () => void = () => undefined;
  let cancel: () => void = () => undefined;
  const stopAsking = () => {
    asking.abort();
    cancelTimer();
    unsubscribe();
    signal.removeEventListener("abort", cancel);
  };
  return new Promise<Reply>((resolve, reject) => {
    const finish = (answer: Answer, inEffect?: () => void) => {
      // Already settled in another way: this answer came too late to have an effect.
      if (asking.signal.aborted) return inEffect?.();
      stopAsking();
      resolve({ answer, inEffect });
    };
    const settle = async () => {
      try {
        const decision = await decideAgain();
        if (decision.layer === "grant" && !asking.signal.aborted) finish({ kind: "settled", decision });
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        logger.log("warn", `Answers about tool '${request.shownName}' cannot be read, so it is still asked: ${detail}`);
      }
    };
    unsubscribe = onGrant(settle);
    cancel = () => finish({ kind: "cancelled" });
    cancelTimer = clock.after(ANSWER_WITHIN_MS, () => finish({ kind: "expired" }));
    signal.addEventListener("abort", cancel);
    if (signal.aborted) return cancel();
    approver
      .ask(request, asking.signal)
      .then(({ answer, inEffect }) => finish(clock.monotonic() > expiresAt ? { kind: "expired" } : answer, inEffect))
      .catch((error: unknown) => (asking.signal.aborted ? undefined : reject(error)));
  }).catch((error: unknown) => {
    // Nobody is to go on answering a question that no longer counts.
    stopAsking();
    throw error;
  });
}

function approve(call: CheckedCall, decision: Decision): PolicyAnswer {
  return { kind: "approved", call: toApproved(call, decision) };
}

// The only place where this type is made: policy or a person has just approved the call.
function toApproved(call: CheckedCall, decision: Decision): ApprovedCall {
  const { id, requestedAt, registered, definition, arguments: given, sessionId, leftOut } = call;
  const approved = { id, requestedAt, registered, definition, arguments: given, decision };
  if (sessionId === undefined && leftOut === undefined) return approved as ApprovedCall;
  return { ...approved, ...(sessionId !== undefined && { sessionId }), ...(leftOut && { leftOut }) } as ApprovedCall;
}

function denied(reason: string): PolicyAnswer {
  return ended("denied", `Tool call denied: ${reason}`);
}

function ended(ending: CallFailure["ending"], message: string): PolicyAnswer {
  return { kind: "ended", failure: { ending, message } };
}

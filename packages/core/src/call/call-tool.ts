import type { Stop, StopSignal } from "../async/stop.ts";
import type { ApprovalMode, Decision } from "../domain/approval.ts";
import type {
  ApprovedCall,
  CallFailure,
  CallOutcome,
  CallRequest,
  CheckedCall,
  Progress,
  ResolvedCall,
} from "../domain/call.ts";
import type { Caller } from "../domain/caller.ts";
import type { Grant, PinState } from "../domain/grant.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { RegisteredTool, Toolbox, ToolboxSettings } from "../domain/tool.ts";
import type { OnLargeOutcome } from "../engine.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import { redactJson } from "../secrets/redact.ts";
import type { ServerLink } from "../servers/link/link.ts";
import { isoTime } from "../text/iso-time.ts";
import { type CallSoFar, endUnexpectedly } from "./end-unexpectedly.ts";
import { type PacedProgress, paceProgress } from "./pace-progress.ts";
import { type Check, checkArguments } from "./steps/check-arguments.ts";
import { type CallPolicy, decide } from "./steps/decide.ts";
import { CallEnd } from "./steps/end-call.ts";
import { type Invocation, type InvokeDeps, invokeTool } from "./steps/invoke-tool.ts";
import { type CallRecorder, createRecorder, type RecordDeps } from "./steps/record-call.ts";
import {
  type ApprovalDeps,
  type ApprovalSubject,
  approveEdited,
  requestApproval,
  settleByPolicy,
} from "./steps/request-approval.ts";
import { resolveTool, toResolvedCall } from "./steps/resolve-tool.ts";
import { type ShapeDeps, shapeResult } from "./steps/shape-result.ts";
import { type SlotDeps, takeSlot } from "./steps/take-slot.ts";
import { describeError, quietly } from "./unfailing.ts";
import { waitForSlot } from "./wait-for-slot.ts";

export interface CallDeps extends RecordDeps, ApprovalDeps, SlotDeps, ShapeDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: () => string;
  /** Whether anyone would see the call's progress as it happens. */
  readonly wantsProgress: (callId: string) => boolean;
  readonly graceMs: number;
  /**
   * Notes that a server is working on the call; returns a function to call when it no longer is. Absent where no person
   * can be asked.
   */
  readonly enterServer?: (call: ApprovedCall) => () => void;
}

/** What the engine knows when a call is made. */
export interface CallContext {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly approvalMode: ApprovalMode;
  readonly sessionId?: string | undefined;
  readonly caller: Caller;
  readonly onLargeOutcome?: OnLargeOutcome | undefined;
  definitionOf(tool: RegisteredTool): ServerDefinition | undefined;
  /** Why the request names nothing that can be called. Asked only once it is known that it does not. */
  absenceOf(request: CallRequest): CallFailure;
  /** Where the approval setting of a tool is written, to follow what it does. Asked only for tools that are denied. */
  placeOfApproval(tool: RegisteredTool, definition: ServerDefinition): string;
  /** The tool as it is registered now; undefined if it is gone. */
  currentOf(tool: RegisteredTool): RegisteredTool | undefined;
  linkTo(tool: RegisteredTool): ServerLink;
  /** Read when the decision is made, so that a definition that has just changed counts. */
  pinOf(tool: RegisteredTool): PinState;
  /** Whether the GPT in use trusts the tool. */
  isTrusted(tool: RegisteredTool): boolean;
  /** Earlier answers about the tool that were remembered: those for this session first, then the permanent ones. */
  grantsFor(tool: RegisteredTool): readonly Grant[] | Promise<readonly Grant[]>;
}

/**
 * The path of one call: it holds the order of the steps and nothing else. Whatever any step throws, the call ends,
 * once: it is recorded, answered and lets go. Written as one function because every call pays for each promise.
 */
export async function callTool(
  id: string,
  request: CallRequest,
  context: CallContext,
  deps: CallDeps,
  stop: Stop,
): Promise<CallOutcome> {
  const signal: StopSignal = stop;
  const soFar: CallSoFar = {};
  try {
    const resolution = resolveTool(request, context);
    const resolved =
      resolution.kind === "resolved"
        ? toResolvedCall(id, isoTime(deps.clock.now()), request, resolution, context.sessionId)
        : undefined;
    soFar.resolved = resolved;
    const recorder = createRecorder(id, request, resolved, context.caller, deps);
    soFar.recorder = recorder;
    const end = new CallEnd(id, request, resolved, recorder, deps);
    soFar.end = end;
    recorder.announce();

    if (resolution.kind === "ended" || resolved === undefined)
      return await end.failure(
        resolution.kind === "ended" ? resolution.failure : { ending: "unknown-tool", message: "Unknown tool" },
      );

    const approving = checkAndApprove({ resolved, context, deps, recorder, end, signal });
    const approval = approving instanceof Promise ? await approving : approving;
    if (approval.kind === "ended") return await end.failure(approval.failure);
    const { call, stored } = approval;

    const room = takeSlot(call, context.settings, deps, signal);
    const slot = room instanceof Promise ? await waitForSlot(room, stored, recorder, end, deps) : room;
    if (slot.kind === "unsaved") return end.unrecorded(slot.failure);
    if (slot.kind === "ended") return await end.failure(slot.failure);
    let held: typeof slot | undefined = slot;
    let visit: ServerVisit | undefined;
    let invocation: Invocation;
    try {
      const revoked = room instanceof Promise ? revokedMeanwhile(call, approval.fingerprint, context, deps) : undefined;
      if (revoked !== undefined) return await end.failure(revoked);
      const unsaved = await recorder.running(call);
      if (unsaved !== undefined) return end.unrecorded(unsaved);
      end.mayHaveRun = true;
      visit = visitServer(call, context, deps, soFar);
      invocation = await invokeTool(call, visit, stop);
      end.wasMade(invocation);
      if (invocation.serverDone !== undefined) {
        held = undefined;
        void releaseAfter(invocation.serverDone, slot, recorder, deps);
      }
    } finally {
      if (visit !== undefined) leaveServer(visit, deps.logger);
      held?.release();
    }
    const { answer } = invocation;
    if (answer.kind === "ended") return await end.failure(answer.failure);

    const shaping = shapeResult(call, answer.result, deps, signal);
    const shaped = shaping instanceof Promise ? await shaping : shaping;
    if (shaped.kind === "ended") return handOver(await end.failure(shaped.failure), context, deps, soFar);
    const lost = await recorder.success(shaped.result, end.times(), shaped.most);
    const outcome =
      lost === undefined
        ? end.success(shaped.result)
        : end.unrecorded(lost, "The call has run, but its end is not recorded");
    return soFar.leaveRoom === undefined ? outcome : handOver(outcome, context, deps, soFar);
  } catch (error) {
    return await endUnexpectedly(error, id, request, soFar, context.caller, deps);
  } finally {
    soFar.leaveRoom?.();
  }
}

/** Hands over a large outcome. If its receiver wants to write it first, it keeps its room until that is done. */
function handOver(
  outcome: CallOutcome,
  { onLargeOutcome }: CallContext,
  { logger }: CallDeps,
  soFar: CallSoFar,
): CallOutcome {
  const { leaveRoom } = soFar;
  if (leaveRoom === undefined || onLargeOutcome === undefined) return outcome;
  const task = () => {
    const written = onLargeOutcome(outcome);
    soFar.leaveRoom = undefined;
    void written.then(leaveRoom, leaveRoom);
  };
  // The call has ended and is recorded: what its receiver throws changes nothing about that.
  quietly(task, "handing over a large outcome", logger);
  return outcome;
}

/** A call at its server, with all that ends when it is no longer there. */
interface ServerVisit extends InvokeDeps {
  readonly progress: PacedProgress | undefined;
  readonly leave: (() => void) | undefined;
}

/** Tells those concerned that a call is being sent to its server. */
function visitServer(call: ApprovedCall, context: CallContext, deps: CallDeps, soFar: CallSoFar): ServerVisit {
  const link = context.linkTo(call.registered);
  const progress = deps.wantsProgress(call.id) ? followProgress(call.id, deps) : undefined;
  const onRoom = (leave: () => void) => {
    soFar.leaveRoom?.();
    soFar.leaveRoom = leave;
  };
  const { clock, metrics, graceMs, advice } = deps;
  return {
    advice,
    link,
    clock,
    metrics,
    graceMs,
    onRoom,
    progress,
    onProgress: progress?.push,
    leave: deps.enterServer?.(call),
  };
}

function leaveServer({ progress, leave }: ServerVisit, logger: Logger): void {
  if (progress !== undefined) quietly(progress.end, "ending progress", logger);
  if (leave !== undefined) quietly(leave, "closing questions", logger);
}

/** Keeps the slot until the server can no longer be working on the call. Never rejects. */
async function releaseAfter(
  serverDone: NonNullable<Invocation["serverDone"]>,
  slot: { release(): void },
  recorder: CallRecorder,
  { logger }: CallDeps,
): Promise<void> {
  try {
    const how = await serverDone.finally(() => slot.release());
    if (how === "late-answer") await recorder.lateAnswer();
  } catch (error) {
    logger.log("error", "Tacklebox has a bug: releasing a call's slot failed", describeError(error));
  }
}

/** Called only for calls that someone follows: a server is spared the work of reporting progress no one sees. */
function followProgress(callId: string, { clock, redact, emit, logger }: CallDeps): PacedProgress {
  const paced = paceProgress(
    (progress: Progress) => emit({ type: "call-progressed", callId, progress: redactJson(redact, progress) }),
    clock,
  );
  // The code that reads what servers send calls this, and serves other calls, too.
  return { ...paced, push: (progress) => quietly(() => paced.push(progress), "reporting progress", logger) };
}

type Approved =
  | {
      readonly kind: "approved";
      readonly call: ApprovedCall;
      /** The fingerprint of the definition that was approved. */
      readonly fingerprint: string;
      readonly stored: boolean;
    }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** What the steps from checking the arguments to the approval work with. */
interface Approving {
  readonly resolved: ResolvedCall;
  readonly context: CallContext;
  readonly deps: CallDeps;
  readonly recorder: CallRecorder;
  readonly end: CallEnd;
  readonly signal: StopSignal;
}

/**
 * Checks the arguments and gets the call approved. Returns a promise only if there is something to wait for: most calls
 * are settled by policy at once.
 */
function checkAndApprove(approving: Approving): Approved | Promise<Approved> {
  const { resolved, deps, signal } = approving;
  const check = checkArguments(resolved, deps, signal);
  return check instanceof Promise
    ? check.then((late) => approveChecked(late, approving))
    : approveChecked(check, approving);
}

function approveChecked(check: Check, approving: Approving): Approved | Promise<Approved> {
  if (check.kind === "ended") return check;
  const { context, resolved } = approving;
  const grants = context.grantsFor(resolved.registered);
  return grants instanceof Promise
    ? grants.then((late) => approveByPolicy(check.call, late, approving))
    : approveByPolicy(check.call, grants, approving);
}

function approveByPolicy(
  call: CheckedCall,
  grants: readonly Grant[],
  approving: Approving,
): Approved | Promise<Approved> {
  const { resolved, context, deps } = approving;
  const { registered } = resolved;
  const pin = context.pinOf(registered);
  const policy = {
    pin,
    mode: context.approvalMode,
    trusted: context.isTrusted(registered),
    grants,
    advice: deps.advice,
  };
  const decision = decide(call, policy);
  if (decision.warning !== undefined) deps.logger.log("warn", decision.warning, { call: resolved.id });
  const settled = settleByPolicy(call, decision);
  if (settled === undefined) return askPerson(call, policy, decision, approving);
  if (settled.kind === "ended") return { kind: "ended", failure: withPlace(settled.failure, decision, call, context) };
  return { kind: "approved", call: settled.call, fingerprint: pin.fingerprint, stored: false };
}

/** A denial by a setting with the place of that setting, which is for the operator only. */
function withPlace(
  failure: CallFailure,
  { layer }: Decision,
  { registered, definition }: CheckedCall,
  context: CallContext,
): CallFailure {
  if (layer !== "tool" && layer !== "server") return failure;
  const { ending, message } = failure;
  const place = context.placeOfApproval(registered, definition);
  return { ending, message: `${message}${place}. To allow it, change that setting`, veil: { ending, message } };
}

/** Asks until there is an answer that counts: edited arguments are approved only once they pass the schema too. */
async function askPerson(
  call: CheckedCall,
  policy: CallPolicy,
  decision: Decision,
  { resolved, context, deps, recorder, end, signal }: Approving,
): Promise<Approved> {
  const { registered } = resolved;
  const { pin, grants } = policy;
  const unsaved = await recorder.pending();
  if (unsaved !== undefined) return { kind: "ended", failure: unsaved };

  const agreed = grants.find(({ verdict, fingerprint }) => verdict === "allow" && fingerprint !== pin.fingerprint);
  const subject: ApprovalSubject = {
    fingerprint: pin.fingerprint,
    ...(context.sessionId !== undefined && { sessionId: context.sessionId }),
    ...(agreed !== undefined && { changedFrom: agreed.definition }),
    decideAgain: async () => {
      const now = { pin: context.pinOf(registered), grants: await context.grantsFor(registered) };
      return decide(call, { ...policy, ...now });
    },
  };
  let asking = decision;
  for (;;) {
    const askedAt = deps.clock.monotonic();
    const approval = await requestApproval(call, asking, subject, deps, signal);
    end.personMs += deps.clock.monotonic() - askedAt;
    if (approval.kind === "ended") return approval;
    const agreedTo = approval.kind === "approved" ? approval.call : await checkEdited(resolved, approval, deps, signal);
    if ("ending" in agreedTo) {
      asking = { ...decision, reason: agreedTo.message };
      continue;
    }
    const revoked = revokedMeanwhile(agreedTo, pin.fingerprint, context, deps);
    if (revoked !== undefined) return { kind: "ended", failure: revoked };
    return { kind: "approved", call: agreedTo, fingerprint: pin.fingerprint, stored: true };
  }
}

async function checkEdited(
  resolved: ResolvedCall,
  { arguments: edited }: { readonly arguments: ResolvedCall["arguments"] },
  deps: CallDeps,
  signal: StopSignal,
): Promise<ApprovedCall | CallFailure> {
  const check = await checkArguments({ ...resolved, arguments: edited }, deps, signal);
  return check.kind === "checked" ? approveEdited(check.call) : check.failure;
}

/**
 * Waiting for a person takes minutes and waiting for a slot takes seconds. In that time the server may have changed the
 * tool that was approved, or an operator may have changed what is allowed (T16, T23).
 */
function revokedMeanwhile(
  call: ApprovedCall,
  fingerprint: string,
  context: CallContext,
  { advice }: Pick<CallDeps, "advice">,
): CallFailure | undefined {
  const { registered, decision } = call;
  const tool = `tool '${registered.shownName}'`;
  const definition = context.definitionOf(registered);
  // A server that is gone is reported by the step that would reach it.
  if (definition === undefined) return undefined;
  const current = context.currentOf(registered);
  if (current === undefined) return denied(`${tool} was removed before the call was made`);
  const pin = context.pinOf(registered);
  if (GIVEN_BY_PEOPLE.has(decision.layer) && pin.fingerprint !== fingerprint)
    return denied(`the definition of ${tool} changed before the call was made. Ask again`);
  const now = decide(
    { ...call, registered: current, definition },
    { pin, mode: context.approvalMode, trusted: context.isTrusted(current), grants: [], advice },
  );
  return now.kind === "deny" ? denied(now.reason) : undefined;
}

/** The layers whose approval holds for one definition of the tool only. */
const GIVEN_BY_PEOPLE: ReadonlySet<Decision["layer"]> = new Set(["person", "grant", "gpt"]);

function denied(reason: string): CallFailure {
  return { ending: "denied", message: `Tool call denied: ${reason}` };
}

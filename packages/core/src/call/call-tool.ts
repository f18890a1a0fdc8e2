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
import type { Grant } from "../domain/grant.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { PinState } from "../domain/pin.ts";
import { redactJson } from "../domain/redact.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Stop, StopSignal } from "../domain/stop.ts";
import type { RegisteredTool, Toolbox, ToolboxSettings } from "../domain/tool.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { ServerLink } from "../ports/server-link.ts";
import { type Check, checkArguments } from "./check-arguments.ts";
import { type CallPolicy, decide } from "./decide.ts";
import { CallEnd } from "./end-call.ts";
import { type Invocation, invokeTool } from "./invoke-tool.ts";
import { type PacedProgress, paceProgress } from "./pace-progress.ts";
import { type CallRecorder, createRecorder, type RecordPorts } from "./record-call.ts";
import {
  type ApprovalMatter,
  type ApprovalPorts,
  approveEdited,
  requestApproval,
  settleByPolicy,
} from "./request-approval.ts";
import { resolveTool, toResolvedCall } from "./resolve-tool.ts";
import { type ShapePorts, shapeResult } from "./shape-result.ts";
import { type SlotPorts, takeSlot } from "./take-slot.ts";

export interface CallPorts extends RecordPorts, ApprovalPorts, SlotPorts, ShapePorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: () => string;
  /** Whether anybody follows this call as it goes on. */
  readonly isFollowed: (callId: string) => boolean;
  readonly graceMs: number;
  /** Notes that a call is at its server; returns what to call when it is not any more. Absent where nobody can be asked. */
  readonly enterServer?: (call: ApprovedCall) => () => void;
}

/** What the engine knows at the moment a call is made. */
export interface CallScene {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly approvalMode: ApprovalMode;
  readonly sessionId?: string | undefined;
  readonly caller: Caller;
  definitionOf(tool: RegisteredTool): ServerDefinition | undefined;
  /** The tool as it is registered at this moment; undefined once it is gone. */
  presentOf(tool: RegisteredTool): RegisteredTool | undefined;
  linkTo(tool: RegisteredTool): ServerLink;
  /** Read at the moment of the decision, so that a definition that changed a moment ago counts (T16). */
  pinOf(tool: RegisteredTool): PinState;
  /** Whether the assistant in use trusts it. */
  isTrusted(tool: RegisteredTool): boolean;
  /** What people answered about it before: for this session, then for good. */
  grantsFor(tool: RegisteredTool): readonly Grant[] | Promise<readonly Grant[]>;
}

/** THE PATH OF ONE CALL: the order of the steps and nothing else. */
export async function callTool(
  id: string,
  request: CallRequest,
  scene: CallScene,
  ports: CallPorts,
  stop: Stop,
): Promise<CallOutcome> {
  const signal: StopSignal = stop;
  const { clock, metrics, graceMs } = ports;
  const resolution = resolveTool(request, scene);
  const resolved =
    resolution.kind === "resolved"
      ? toResolvedCall(id, isoTime(clock.now()), request, resolution, scene.sessionId)
      : undefined;
  const recorder = createRecorder(id, request, resolved, scene.caller, ports);
  const end = new CallEnd(id, request, resolved, recorder, ports);
  recorder.announce();

  if (resolution.kind === "ended" || resolved === undefined)
    return end.failure(
      resolution.kind === "ended" ? resolution.failure : { ending: "unknown-tool", message: "Unknown tool" },
    );

  const approving = checkAndApprove({ resolved, scene, ports, recorder, end, signal });
  const approval = approving instanceof Promise ? await approving : approving;
  if (approval.kind === "ended") return end.failure(approval.failure);
  const { call, stored } = approval;

  const room = takeSlot(call, scene.settings, ports, signal);
  const waitsSince = room instanceof Promise ? clock.monotonic() : 0;
  if (room instanceof Promise && !stored) {
    const unsaved = await recorder.pending();
    if (unsaved !== undefined) {
      void room.then((slot) => slot.kind === "taken" && slot.release());
      return end.unrecorded(unsaved);
    }
  }
  const slot = room instanceof Promise ? await room : room;
  if (room instanceof Promise) end.slotMs = clock.monotonic() - waitsSince;
  if (slot.kind === "ended") return end.failure(slot.failure);
  const withdrawn = room instanceof Promise ? withdrawnMeanwhile(call, approval.fingerprint, scene) : undefined;
  if (withdrawn !== undefined) {
    slot.release();
    return end.failure(withdrawn);
  }

  const unsaved = await recorder.running(call);
  if (unsaved !== undefined) {
    slot.release();
    return end.unrecorded(unsaved);
  }
  const link = scene.linkTo(call.registered);
  const progress = ports.isFollowed(id) ? followProgress(id, ports) : undefined;
  const leaveServer = ports.enterServer?.(call);
  let invocation: Invocation;
  try {
    invocation = await invokeTool(call, { link, clock, metrics, graceMs }, stop, progress?.told);
  } catch (error) {
    slot.release();
    throw error;
  } finally {
    progress?.end();
    leaveServer?.();
  }
  const { answer, serverDone } = invocation;
  end.wasMade(invocation);
  if (serverDone === undefined) slot.release();
  else
    void serverDone.then((how) => {
      slot.release();
      return how === "late-answer" ? recorder.lateAnswer() : undefined;
    });
  if (answer.kind === "ended") return end.failure(answer.failure);

  const shaping = shapeResult(call, answer.result, ports, signal);
  const shaped = shaping instanceof Promise ? await shaping : shaping;
  if (shaped.kind === "ended") return end.failure(shaped.failure);
  const lost = await recorder.success(shaped.result, end.times());
  if (lost !== undefined) return end.unrecorded(lost, "The call has run, but its end is not recorded");
  return end.success(shaped.result);
}

/** Progress that nobody follows is not asked for, which spares the server some of its work. */
function followProgress(callId: string, { clock, redact, emit }: CallPorts): PacedProgress {
  return paceProgress(
    (told: Progress) => emit({ type: "call-progressed", callId, progress: redactJson(redact, told) }),
    clock,
  );
}

type Approved =
  | {
      readonly kind: "approved";
      readonly call: ApprovedCall;
      /** What was agreed to. */
      readonly fingerprint: string;
      readonly stored: boolean;
    }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** What steps 3 to 5 work with. */
interface Approving {
  readonly resolved: ResolvedCall;
  readonly scene: CallScene;
  readonly ports: CallPorts;
  readonly recorder: CallRecorder;
  readonly end: CallEnd;
  readonly signal: StopSignal;
}

/** Steps 3 to 5. A promise only where there is something to wait for: most calls are settled by policy, at once. */
function checkAndApprove(approving: Approving): Approved | Promise<Approved> {
  const { resolved, ports, signal } = approving;
  const check = checkArguments(resolved, ports, signal);
  return check instanceof Promise
    ? check.then((late) => approveChecked(late, approving))
    : approveChecked(check, approving);
}

function approveChecked(check: Check, approving: Approving): Approved | Promise<Approved> {
  if (check.kind === "ended") return check;
  const { scene, resolved } = approving;
  const grants = scene.grantsFor(resolved.registered);
  return grants instanceof Promise
    ? grants.then((late) => approveByPolicy(check.call, late, approving))
    : approveByPolicy(check.call, grants, approving);
}

function approveByPolicy(
  call: CheckedCall,
  grants: readonly Grant[],
  approving: Approving,
): Approved | Promise<Approved> {
  const { resolved, scene, ports } = approving;
  const { registered } = resolved;
  const pin = scene.pinOf(registered);
  const policy = { pin, mode: scene.approvalMode, trusted: scene.isTrusted(registered), grants };
  const decision = decide(call, policy);
  if (decision.warning !== undefined) ports.logger.log("warn", decision.warning, { call: resolved.id });
  const settled = settleByPolicy(call, decision);
  if (settled === undefined) return askPerson(call, policy, decision, approving);
  if (settled.kind === "ended") return settled;
  return { kind: "approved", call: settled.call, fingerprint: pin.fingerprint, stored: false };
}

/** The one loop of the path: a yes with edited arguments counts only once these pass the schema too. */
async function askPerson(
  call: CheckedCall,
  policy: CallPolicy,
  decision: Decision,
  { resolved, scene, ports, recorder, end, signal }: Approving,
): Promise<Approved> {
  const { registered } = resolved;
  const { pin, grants } = policy;
  const unsaved = await recorder.pending();
  if (unsaved !== undefined) return { kind: "ended", failure: unsaved };

  const agreed = grants.find(({ verdict, fingerprint }) => verdict === "allow" && fingerprint !== pin.fingerprint);
  const matter: ApprovalMatter = {
    fingerprint: pin.fingerprint,
    ...(scene.sessionId !== undefined && { sessionId: scene.sessionId }),
    ...(agreed !== undefined && { changedFrom: agreed.definition }),
    decideAgain: async () => {
      const present = { pin: scene.pinOf(registered), grants: await scene.grantsFor(registered) };
      return decide(call, { ...policy, ...present });
    },
  };
  let asking = decision;
  for (;;) {
    const askedAt = ports.clock.monotonic();
    const approval = await requestApproval(call, asking, matter, ports, signal);
    end.personMs += ports.clock.monotonic() - askedAt;
    if (approval.kind === "ended") return approval;
    const agreedTo =
      approval.kind === "approved" ? approval.call : await checkEdited(resolved, approval, ports, signal);
    if ("ending" in agreedTo) {
      asking = { ...decision, reason: agreedTo.message };
      continue;
    }
    const withdrawn = withdrawnMeanwhile(agreedTo, pin.fingerprint, scene);
    if (withdrawn !== undefined) return { kind: "ended", failure: withdrawn };
    return { kind: "approved", call: agreedTo, fingerprint: pin.fingerprint, stored: true };
  }
}

async function checkEdited(
  resolved: ResolvedCall,
  { arguments: edited }: { readonly arguments: ResolvedCall["arguments"] },
  ports: CallPorts,
  signal: StopSignal,
): Promise<ApprovedCall | CallFailure> {
  const check = await checkArguments({ ...resolved, arguments: edited }, ports, signal);
  return check.kind === "checked" ? approveEdited(check.call) : check.failure;
}

/**
 * A person takes minutes and a line for a slot seconds, in which the server may have changed what was said yes to, or an
 * operator what may be done (T16, T23).
 */
function withdrawnMeanwhile(call: ApprovedCall, fingerprint: string, scene: CallScene): CallFailure | undefined {
  const { registered, decision } = call;
  const tool = `tool '${registered.shownName}'`;
  const definition = scene.definitionOf(registered);
  // A server that is gone is told as such by the step that would reach it.
  if (definition === undefined) return undefined;
  const present = scene.presentOf(registered);
  if (present === undefined) return denied(`${tool} was taken away before the call was made`);
  const pin = scene.pinOf(registered);
  if (GIVEN_BY_PEOPLE.has(decision.layer) && pin.fingerprint !== fingerprint)
    return denied(`the definition of ${tool} changed before the call was made. Ask again`);
  const now = decide(
    { ...call, registered: present, definition },
    { pin, mode: scene.approvalMode, trusted: scene.isTrusted(present), grants: [] },
  );
  return now.kind === "deny" ? denied(now.reason) : undefined;
}

/** Those whose yes is to one definition of the tool. */
const GIVEN_BY_PEOPLE: ReadonlySet<Decision["layer"]> = new Set(["person", "grant", "gpt"]);

function denied(reason: string): CallFailure {
  return { ending: "denied", message: `Tool call denied: ${reason}` };
}

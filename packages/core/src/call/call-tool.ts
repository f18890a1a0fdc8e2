import type { ApprovalMode, Decision } from "../domain/approval.ts";
import type { ApprovedCall, CallFailure, CallOutcome, CallRequest, Progress, ResolvedCall } from "../domain/call.ts";
import type { PinState } from "../domain/pin.ts";
import { redactJson } from "../domain/redact.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { RegisteredTool, Toolbox, ToolboxSettings } from "../domain/tool.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { ServerLink } from "../ports/server-link.ts";
import { checkArguments } from "./check-arguments.ts";
import { decide } from "./decide.ts";
import { invokeTool } from "./invoke-tool.ts";
import { type CallRecorder, createRecorder, type RecordPorts } from "./record-call.ts";
import { type ApprovalPorts, approveEdited, requestApproval } from "./request-approval.ts";
import { resolveTool, toResolvedCall } from "./resolve-tool.ts";
import { type ShapePorts, shapeResult } from "./shape-result.ts";
import { type SlotPorts, takeSlot } from "./take-slot.ts";

export interface CallPorts extends RecordPorts, ApprovalPorts, SlotPorts, ShapePorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: () => string;
  readonly graceMs: number;
}

/** What the engine knows at the moment a call is made. */
export interface CallScene {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly approvalMode: ApprovalMode;
  definitionOf(tool: RegisteredTool): ServerDefinition | undefined;
  linkTo(tool: RegisteredTool): ServerLink;
  /** Read at the moment of the decision, so that a definition that changed a moment ago counts (T16). */
  pinOf(tool: RegisteredTool): PinState;
}

/** THE PATH OF ONE CALL: the order of the steps and nothing else. */
export async function callTool(
  request: CallRequest,
  scene: CallScene,
  ports: CallPorts,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<CallOutcome> {
  const id = ports.newId();
  const startedAt = ports.clock.monotonic();
  const resolution = resolveTool(request, scene.toolbox, scene.definitionOf);
  const resolved =
    resolution.kind === "resolved"
      ? toResolvedCall(id, new Date(ports.clock.now()).toISOString(), request, resolution)
      : undefined;
  const recorder = createRecorder(id, request, resolved, ports);
  recorder.announce();

  const ended = async (failure: CallFailure): Promise<CallOutcome> => {
    if (failure.ending === "log-unavailable") return outcome({ status: "error", failure });
    const unsaved = await recorder.failure(failure);
    return outcome({
      status: "error",
      failure: unsaved === undefined ? redacted(failure) : afterwards(unsaved, failure),
    });
  };
  const outcome = (ending: Ended): CallOutcome => {
    ports.metrics.callEnded(
      resolved?.registered.ref.server ?? "",
      ending.status === "success" ? "success" : ending.failure.ending,
    );
    return {
      callId: id,
      shownName: resolved?.registered.shownName ?? request.tool,
      ...(resolved !== undefined && { ref: resolved.registered.ref }),
      durationMs: Math.round(ports.clock.monotonic() - startedAt),
      ...ending,
    };
  };
  const progressed = (told: Progress) => {
    const progress = redactJson(ports.redact, told);
    ports.emit({ type: "call-progressed", callId: id, progress });
    onProgress(progress);
  };
  const redacted = (failure: CallFailure): CallFailure => ({ ...failure, message: ports.redact(failure.message) });

  if (resolution.kind === "ended" || resolved === undefined)
    return ended(
      resolution.kind === "ended" ? resolution.failure : { ending: "unknown-tool", message: "Unknown tool" },
    );

  const approval = await checkAndApprove(resolved, scene, ports, recorder, signal);
  if (approval.kind === "ended") return ended(approval.failure);
  const { call, stored } = approval;

  const waiting = takeSlot(call, scene.settings, ports, signal);
  if (waiting.waiting && !stored) {
    const unsaved = await recorder.pending();
    if (unsaved !== undefined) {
      void waiting.slot.then((slot) => slot.kind === "taken" && slot.release());
      return outcome({ status: "error", failure: unsaved });
    }
  }
  const slot = await waiting.slot;
  if (slot.kind === "ended") return ended(slot.failure);

  const unsaved = await recorder.running(call);
  if (unsaved !== undefined) {
    slot.release();
    return outcome({ status: "error", failure: unsaved });
  }
  const link = scene.linkTo(call.registered);
  const { answer, serverDone } = await invokeTool(call, { ...ports, link }, signal, progressed).catch(
    (error: unknown) => {
      slot.release();
      throw error;
    },
  );
  void serverDone.finally(slot.release);
  if (answer.kind === "ended") return ended(answer.failure);

  const shaped = await shapeResult(call, answer.result, ports, signal);
  if (shaped.kind === "ended") return ended(shaped.failure);
  const lost = await recorder.success(shaped.result);
  if (lost !== undefined) return outcome({ status: "error", failure: afterwards(lost) });
  return outcome({ status: "success", result: shaped.result });
}

type Ended =
  | { status: "success"; result: Extract<CallOutcome, { status: "success" }>["result"] }
  | { status: "error"; failure: CallFailure };

type Approved =
  | { readonly kind: "approved"; readonly call: ApprovedCall; readonly stored: boolean }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** Steps 3 to 5, and the one loop of the path: a yes with edited arguments counts only once these pass the schema too. */
async function checkAndApprove(
  resolved: ResolvedCall,
  scene: CallScene,
  ports: CallPorts,
  recorder: CallRecorder,
  signal: AbortSignal,
): Promise<Approved> {
  const first = await checkArguments(resolved, ports.validator, signal);
  if (first.kind === "ended") return first;
  const pin = scene.pinOf(resolved.registered);
  const decision = decide(first.call, pin, scene.approvalMode);
  if (decision.warning !== undefined) ports.logger.log("warn", decision.warning, { call: resolved.id });
  const stored = decision.kind === "ask";
  const unsaved = stored ? await recorder.pending() : undefined;
  if (unsaved !== undefined) return { kind: "ended", failure: unsaved };

  let asking: Decision = decision;
  for (;;) {
    const approval = await requestApproval(first.call, asking, pin.fingerprint, ports, signal);
    if (approval.kind === "ended") return approval;
    if (approval.kind === "approved") return { kind: "approved", call: approval.call, stored };
    const edited = await checkArguments({ ...resolved, arguments: approval.arguments }, ports.validator, signal);
    if (edited.kind === "checked") return { kind: "approved", call: approveEdited(edited.call, decision), stored };
    asking = { ...decision, reason: edited.failure.message };
  }
}

/** The call came to an end that could not be written down; whoever asked must know both. */
function afterwards(unsaved: CallFailure, ending?: CallFailure): CallFailure {
  const what = ending === undefined ? "The call has run, but its end is not recorded" : ending.message;
  return { ...unsaved, message: `${what}. ${unsaved.message}` };
}

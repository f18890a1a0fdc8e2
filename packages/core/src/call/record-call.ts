import type { ApprovedCall, CallFailure, CallRecord, CallRequest, ResolvedCall, ToolResult } from "../domain/call.ts";
import type { EngineEvent } from "../domain/events.ts";
import { type Redactor, redactJson } from "../domain/redact.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { CallLog } from "../ports/store.ts";

export interface RecordPorts {
  readonly calls: CallLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
  readonly owner: string;
}

/** What could not be written, for people; undefined when the row is safe. */
export type SaveProblem = CallFailure | undefined;

/** The record of one call as it goes on. Saves first, announces after: nobody hears of a fact that could be lost. */
export interface CallRecorder {
  /** Announced only: a call that need not wait is first stored as running. */
  announce(): void;
  pending(): Promise<SaveProblem>;
  running(call: ApprovedCall): Promise<SaveProblem>;
  success(result: ToolResult): Promise<SaveProblem>;
  failure(failure: CallFailure): Promise<SaveProblem>;
}

export function createRecorder(
  id: string,
  request: CallRequest,
  resolved: ResolvedCall | undefined,
  ports: RecordPorts,
): CallRecorder {
  let record: CallRecord = {
    id,
    scope: resolved?.registered.ref.scope ?? "",
    server: resolved?.registered.ref.server ?? request.server ?? "",
    toolName: resolved?.registered.ref.name ?? request.tool,
    shownName: resolved?.registered.shownName ?? request.tool,
    arguments: redactJson(ports.redact, request.arguments),
    status: "pending",
    startedAt: new Date(ports.clock.now()).toISOString(),
    owner: ports.owner,
  };
  const announce = () => ports.emit({ type: "call-changed", call: record });
  const save = async (change: Partial<CallRecord>): Promise<SaveProblem> => {
    record = { ...record, ...change };
    try {
      await ports.calls.save(record);
    } catch (error) {
      ports.logger.log("error", "The call log cannot be written", { call: id, error: textOf(error) });
      return logUnavailable(error);
    }
    announce();
    return undefined;
  };
  const completedAt = () => new Date(ports.clock.now()).toISOString();

  return {
    announce,
    pending: () => save({}),
    running: (call) =>
      save({
        status: "running",
        arguments: redactJson(ports.redact, call.arguments),
        decision: `${call.decision.layer}: ${call.decision.reason}`,
      }),
    success: (result) =>
      save({ status: "success", result: redactJson(ports.redact, result), completedAt: completedAt() }),
    failure: ({ ending, message, result }) =>
      save({
        status: "error",
        ending,
        error: ports.redact(message),
        completedAt: completedAt(),
        ...(result !== undefined && { result: redactJson(ports.redact, result) }),
      }),
  };
}

function logUnavailable(error: unknown): CallFailure {
  return {
    ending: "log-unavailable",
    message: `The call log cannot be written (${textOf(error)}). Free space or fix permissions in the data directory, then try again`,
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

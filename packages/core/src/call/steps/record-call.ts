import type {
  ApprovedCall,
  CallFailure,
  CallRecord,
  CallRequest,
  CallTimes,
  ResolvedCall,
  ToolResult,
} from "../../domain/call.ts";
import type { Caller } from "../../domain/caller.ts";
import type { EngineEvent } from "../../domain/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Logger } from "../../ports/logger.ts";
import type { CallLog } from "../../ports/store.ts";
import { redactJson } from "../../secrets/redact.ts";
import { isoTime } from "../../text/iso-time.ts";

export interface RecordDeps {
  readonly calls: CallLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
  /** Whether anybody would hear of this call. */
  readonly isHeard: (callId: string) => boolean;
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
  /** Of a shaped result, which holds no secret any more. */
  success(result: ToolResult, times: CallTimes): Promise<SaveProblem>;
  failure(failure: CallFailure, times: CallTimes, sent: boolean): Promise<SaveProblem>;
  /** Of a call that ended before its server answered. */
  lateAnswer(): Promise<void>;
}

export function createRecorder(
  id: string,
  request: CallRequest,
  resolved: ResolvedCall | undefined,
  caller: Caller,
  deps: RecordDeps,
): CallRecorder {
  return new Recorder(id, request, resolved, caller, deps);
}

/**
 * A class, because every call has one: methods are shared where closures would be made anew each time. For the same reason
 * the records of a call that goes well are written out: copying one and adding to it costs several times as much.
 */
class Recorder implements CallRecorder {
  readonly #request: CallRequest;
  readonly #caller: Caller;
  readonly #ports: RecordDeps;
  #record: CallRecord;
  #decision = "";
  /** What the log took last. */
  #saved: CallRecord | undefined;

  constructor(id: string, request: CallRequest, resolved: ResolvedCall | undefined, caller: Caller, deps: RecordDeps) {
    this.#request = request;
    this.#caller = caller;
    this.#ports = deps;
    this.#record = {
      id,
      scope: resolved?.registered.ref.scope ?? "",
      // A name that nothing here has may be anything.
      server: resolved?.registered.ref.server ?? deps.redact(request.server ?? ""),
      toolName: resolved?.registered.ref.name ?? deps.redact(request.tool),
      shownName: resolved?.registered.shownName ?? deps.redact(request.tool),
      arguments: redactJson(deps.redact, request.arguments),
      status: "pending",
      startedAt: resolved?.requestedAt ?? this.#now(),
      caller,
      owner: deps.owner,
    };
  }

  announce(): void {
    const { emit, isHeard } = this.#ports;
    if (!isHeard(this.#record.id)) return;
    // Without the result, which may be large and is there for whoever asks.
    const { result: _result, owner: _owner, ...call } = this.#record;
    emit({ type: "call-changed", call });
  }

  pending(): Promise<SaveProblem> {
    return this.#save(this.#record);
  }

  running({ arguments: given, decision }: ApprovedCall): Promise<SaveProblem> {
    const { id, scope, server, toolName, shownName, startedAt, owner } = this.#record;
    this.#decision = `${decision.layer}: ${decision.reason}`;
    return this.#save({
      id,
      scope,
      server,
      toolName,
      shownName,
      // Edited arguments are another object; the others were redacted at the beginning.
      arguments: given === this.#request.arguments ? this.#record.arguments : redactJson(this.#ports.redact, given),
      status: "running",
      decision: this.#decision,
      startedAt,
      caller: this.#caller,
      owner,
    });
  }

  success(result: ToolResult, times: CallTimes): Promise<SaveProblem> {
    const { id, scope, server, toolName, shownName, arguments: given, startedAt, owner } = this.#record;
    return this.#save({
      id,
      scope,
      server,
      toolName,
      shownName,
      arguments: given,
      status: "success",
      decision: this.#decision,
      startedAt,
      caller: this.#caller,
      owner,
      result,
      completedAt: this.#now(),
      times,
    });
  }

  failure({ ending, message, result }: CallFailure, times: CallTimes, sent: boolean): Promise<SaveProblem> {
    const { redact } = this.#ports;
    return this.#save({
      ...this.#record,
      status: "error",
      ending,
      error: redact(message),
      completedAt: this.#now(),
      times,
      sent,
      ...(result !== undefined && { result: redactJson(redact, result) }),
    });
  }

  async lateAnswer(): Promise<void> {
    const { calls, logger } = this.#ports;
    const lateAnswerAt = this.#now();
    try {
      await calls.noteLateAnswer(this.#record.id, lateAnswerAt);
    } catch (error) {
      logger.log("warn", "A late answer cannot be noted", { call: this.#record.id, error: textOf(error) });
      return;
    }
    this.#record = { ...this.#record, lateAnswerAt };
    this.announce();
  }

  #save(record: CallRecord): Promise<SaveProblem> {
    this.#record = record;
    try {
      return this.#ports.calls.save(record, this.#saved).then(this.#noteSaved, this.#noteUnsaved);
    } catch (error) {
      return Promise.resolve(this.#noteUnsaved(error));
    }
  }

  readonly #noteSaved = (): undefined => {
    this.#saved = this.#record;
    // That it is pending was told when it began.
    if (this.#record.status !== "pending") this.announce();
  };

  readonly #noteUnsaved = (error: unknown): CallFailure => {
    const call = this.#record.id;
    this.#ports.logger.log("error", "The call log cannot be written", { call, error: textOf(error) });
    return logUnavailable(error);
  };

  #now(): string {
    return isoTime(this.#ports.clock.now());
  }
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

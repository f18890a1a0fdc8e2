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
import type { Advice } from "../../ports/advice.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Hasher } from "../../ports/hasher.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Logger } from "../../ports/logger.ts";
import type { CallLog, CallMemo } from "../../ports/store.ts";
import { StoreError } from "../../ports/store-error.ts";
import { redactJson } from "../../secrets/redact.ts";
import { isoTime } from "../../text/iso-time.ts";
import { keepError, keepResult } from "../keep-result.ts";

export interface RecordDeps {
  readonly calls: CallLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
  /** Whether an event about this call would reach anyone. */
  readonly wantsEvents: (callId: string) => boolean;
  readonly owner: string;
  readonly hasher: Hasher;
  /** How much of a result the record keeps. Read for each call, since a reload may change it. */
  readonly keepResultBytes: () => number;
  readonly advice?: Advice;
}

/** Why the record could not be written, for people to read; undefined if it was written. */
export type SaveProblem = CallFailure | undefined;

/** Keeps the record of one call. It saves first and announces after, so that no event reports what could be lost. */
export interface CallRecorder {
  /** Emits an event without saving: a call that does not have to wait is first stored as running. */
  announce(): void;
  pending(): Promise<SaveProblem>;
  running(call: ApprovedCall): Promise<SaveProblem>;
  /** Takes a shaped result, which is redacted already. `most`: see mostBytes. */
  success(result: ToolResult, times: CallTimes, most: number): Promise<SaveProblem>;
  failure(failure: CallFailure, times: CallTimes, sent: boolean): Promise<SaveProblem>;
  /** Records that the server answered after the call had ended. */
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
 * A class, because every call has one: methods are shared, while closures would be allocated for each call. For the
 * same reason the records of a successful call are written out field by field: copying with spread costs several times
 * as much.
 */
class Recorder implements CallRecorder, CallMemo {
  /** Kept by the log. */
  kept: object | undefined;
  readonly #request: CallRequest;
  readonly #caller: Caller;
  readonly #deps: RecordDeps;
  #record: CallRecord;
  #decision = "";
  /** When the call failed, on the monotonic clock: only then can a late answer follow. */
  #endedAt = 0;
  /** The status of the record that the log saved last. */
  #saved: CallRecord["status"] | undefined;

  constructor(id: string, request: CallRequest, resolved: ResolvedCall | undefined, caller: Caller, deps: RecordDeps) {
    this.#request = request;
    this.#caller = caller;
    this.#deps = deps;
    this.#record = {
      id,
      scope: resolved?.registered.ref.scope ?? "",
      // A name that matches no tool may be anything, even a secret.
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
    const { emit, wantsEvents } = this.#deps;
    if (!wantsEvents(this.#record.id)) return;
    // Without the result, which may be large and can be loaded from the record.
    const { result: _result, owner: _owner, ...call } = this.#record;
    emit({ type: "call-changed", call });
  }

  pending(): Promise<SaveProblem> {
    return this.#save(this.#record);
  }

  running({ arguments: given, leftOut, decision }: ApprovedCall): Promise<SaveProblem> {
    const { id, scope, server, toolName, shownName, startedAt, owner } = this.#record;
    const note = leftOut === undefined ? "" : `. Left out, as they may not be null: ${leftOut.join(", ")}`;
    this.#decision = `${decision.layer}: ${decision.reason}${note}`;
    return this.#save({
      id,
      scope,
      server,
      toolName,
      shownName,
      // Edited arguments are a different object; unedited ones were redacted at the beginning.
      arguments: given === this.#request.arguments ? this.#record.arguments : redactJson(this.#deps.redact, given),
      status: "running",
      decision: this.#decision,
      startedAt,
      caller: this.#caller,
      owner,
    });
  }

  success(result: ToolResult, times: CallTimes, most: number): Promise<SaveProblem> {
    const kept = this.#keep(result, most);
    return kept instanceof Promise ? kept.then((part) => this.#succeed(part, times)) : this.#succeed(kept, times);
  }

  #succeed(result: ToolResult, times: CallTimes): Promise<SaveProblem> {
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

  async failure({ ending, message, result }: CallFailure, times: CallTimes, sent: boolean): Promise<SaveProblem> {
    // A success that was saved stands, whatever failed after it.
    if (this.#saved === "success") return undefined;
    const { redact, keepResultBytes } = this.#deps;
    const kept = result === undefined ? undefined : await this.#keep(redactJson(redact, result));
    return this.#save({
      ...this.#record,
      status: "error",
      ending,
      error: keepError(this.#redacted(message), keepResultBytes()),
      completedAt: this.#endTime(),
      times,
      sent,
      ...(kept !== undefined && { result: kept }),
    });
  }

  #keep(result: ToolResult, most?: number): ToolResult | Promise<ToolResult> {
    return keepResult(result, this.#deps.keepResultBytes(), this.#deps.hasher, most);
  }

  async lateAnswer(): Promise<void> {
    const { calls, clock, logger } = this.#deps;
    // Measured, because the clock may have been set since the call ended.
    const afterMs = clock.monotonic() - this.#endedAt;
    const lateAnswerAt = isoTime(Date.parse(this.#record.completedAt ?? this.#now()) + Math.round(afterMs));
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
      return this.#deps.calls.save(record, this).then(this.#noteSaved, this.#noteUnsaved);
    } catch (error) {
      return Promise.resolve(this.#noteUnsaved(error));
    }
  }

  readonly #noteSaved = (): undefined => {
    this.#saved = this.#record.status;
    // The pending state was announced when the call began.
    if (this.#record.status !== "pending") this.announce();
  };

  readonly #noteUnsaved = (error: unknown): CallFailure => {
    const call = this.#record.id;
    this.#deps.logger.log("error", "The call log cannot be written", { call, error: textOf(error) });
    return logUnavailable(error, this.#deps.advice);
  };

  #now(): string {
    return isoTime(this.#deps.clock.now());
  }

  // A failure is recorded even if the ports that its record needs throw: no row may stay open.

  #endTime(): string {
    try {
      this.#endedAt = this.#deps.clock.monotonic();
      return this.#now();
    } catch {
      return this.#record.startedAt;
    }
  }

  #redacted(text: string): string {
    try {
      return this.#deps.redact(text);
    } catch {
      return "[redacted]";
    }
  }
}

function logUnavailable(error: unknown, advice: RecordDeps["advice"]): CallFailure {
  // Those messages say what to do already, and no free space would help.
  const isAdvised = error instanceof StoreError && (error.code === "declared-dead" || error.code === "damaged");
  const next = advice === undefined || isAdvised ? "" : `. ${advice.repairCallLog}`;
  return { ending: "log-unavailable", message: `The call log cannot be written (${textOf(error)})${next}` };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

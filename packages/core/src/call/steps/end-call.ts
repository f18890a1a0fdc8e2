import type { CallFailure, CallOutcome, CallRequest, CallTimes, ResolvedCall, ToolResult } from "../../domain/call.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Metrics } from "../../ports/metrics.ts";
import { redactJson } from "../../secrets/redact.ts";

export interface EndDeps {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly redact: Redactor;
}

/** Answers with what kept it from being written, if anything did. */
interface FailureRecorder {
  failure(failure: CallFailure, times: CallTimes, sent: boolean): Promise<CallFailure | undefined>;
}

/** What became of a call on its way to the server and back. */
interface Made {
  readonly ranMs: number;
  /** How much of that the server waited for an answer to a question of its own. */
  readonly askedMs: number;
  readonly sent: boolean;
}

/** What whoever asked for a call is told about its end, and where its time went. A class, because every call has one. */
export class CallEnd {
  /** How long it has waited for a person. */
  personMs = 0;
  slotMs = 0;
  #runMs = 0;
  #sent = false;
  readonly #id: string;
  readonly #request: CallRequest;
  readonly #resolved: ResolvedCall | undefined;
  readonly #recorder: FailureRecorder;
  readonly #ports: EndDeps;
  readonly #startedAt: number;

  constructor(
    id: string,
    request: CallRequest,
    resolved: ResolvedCall | undefined,
    recorder: FailureRecorder,
    deps: EndDeps,
  ) {
    this.#id = id;
    this.#request = request;
    this.#resolved = resolved;
    this.#recorder = recorder;
    this.#ports = deps;
    this.#startedAt = deps.clock.monotonic();
  }

  wasMade({ ranMs, askedMs, sent }: Made): void {
    this.#runMs = ranMs - askedMs;
    this.personMs += askedMs;
    this.#sent = sent;
  }

  times(): CallTimes {
    return {
      personMs: Math.round(this.personMs),
      slotMs: Math.round(this.slotMs),
      runMs: Math.round(this.#runMs),
    };
  }

  /** Of a call whose success is recorded. */
  success(result: ToolResult): CallOutcome {
    return this.#outcome("success", { status: "success", result });
  }

  /** Records it first. */
  async failure(failure: CallFailure): Promise<CallOutcome> {
    if (failure.ending === "log-unavailable") return this.unrecorded(failure);
    const unsaved = await this.#recorder.failure(failure, this.times(), this.#sent);
    const message = this.#ports.redact(failure.message);
    return unsaved === undefined ? this.#failed(this.#told(failure, message)) : this.unrecorded(unsaved, message);
  }

  /** Where the log cannot be written; whoever asked must also know to what end the call came. */
  unrecorded(unsaved: CallFailure, what?: string): CallOutcome {
    // A store that fails may say what it was given.
    const message = this.#ports.redact(unsaved.message);
    return this.#failed({ ...unsaved, message: what === undefined ? message : `${what}. ${message}` });
  }

  /** As whoever asked reads it. A cancelled call says whether it was sent: nothing else tells. */
  #told(failure: CallFailure, message: string): CallFailure {
    const { problems } = failure;
    return {
      ...failure,
      message,
      ...(problems !== undefined && { problems: redactJson(this.#ports.redact, problems) }),
      ...(failure.ending === "cancelled" && { sent: this.#sent }),
    };
  }

  #failed(failure: CallFailure): CallOutcome {
    return this.#outcome(failure.ending, { status: "error", failure });
  }

  #outcome(counted: "success" | CallFailure["ending"], ending: Ended): CallOutcome {
    const { clock, metrics, redact } = this.#ports;
    const ref = this.#resolved?.registered.ref;
    metrics.callEnded(ref?.server ?? "", counted);
    const shownName = this.#resolved?.registered.shownName ?? redact(this.#request.tool);
    const durationMs = Math.round(clock.monotonic() - this.#startedAt);
    const told = { callId: this.#id, shownName, durationMs, ...ending };
    return ref === undefined ? told : { ...told, ref };
  }
}

type Ended =
  | { readonly status: "success"; readonly result: ToolResult }
  | { readonly status: "error"; readonly failure: CallFailure };

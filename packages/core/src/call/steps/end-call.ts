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

/** Resolves to a failure if the record could not be written. */
interface FailureRecorder {
  failure(failure: CallFailure, times: CallTimes, sent: boolean): Promise<CallFailure | undefined>;
}

/** How a call fared at its server. */
interface Made {
  readonly ranMs: number;
  /** The part of that time in which the server waited for an answer to a question of its own. */
  readonly askedMs: number;
  readonly sent: boolean;
}

/**
 * Builds the outcome that the caller gets and sums up where the call's time went. A class, because every call has one.
 */
export class CallEnd {
  /** How long the call has waited for a person. */
  personMs = 0;
  slotMs = 0;
  /** Whether the call was, or is just being, handed to its server. */
  mayHaveRun = false;
  #runMs = 0;
  readonly #id: string;
  readonly #request: CallRequest;
  readonly #resolved: ResolvedCall | undefined;
  readonly #recorder: FailureRecorder;
  readonly #deps: EndDeps;
  readonly #startedAt: number | undefined;

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
    this.#deps = deps;
    this.#startedAt = this.#monotonic();
  }

  wasMade({ ranMs, askedMs, sent }: Made): void {
    this.#runMs = ranMs - askedMs;
    this.personMs += askedMs;
    this.mayHaveRun = sent;
  }

  times(): CallTimes {
    return {
      personMs: Math.round(this.personMs),
      slotMs: Math.round(this.slotMs),
      runMs: Math.round(this.#runMs),
    };
  }

  /** The outcome of a call whose success has been recorded. */
  success(result: ToolResult): CallOutcome {
    return this.#outcome("success", { status: "success", result });
  }

  /** Records the failure, then returns the outcome. */
  async failure(failure: CallFailure): Promise<CallOutcome> {
    if (failure.ending === "log-unavailable") return this.unrecorded(failure);
    // Before it is recorded: what is recorded must be what the caller gets.
    const reported = this.#toReported(failure);
    const unsaved = await this.#recorder.failure(failure, this.times(), this.mayHaveRun);
    return unsaved === undefined ? this.#failed(reported) : this.unrecorded(unsaved, reported.message);
  }

  /** The outcome if the log cannot be written; `what` tells the caller how the call itself ended. */
  unrecorded(unsaved: CallFailure, what?: string): CallOutcome {
    // A failing store may quote what it was given.
    const message = this.#redact(unsaved.message);
    return this.#failed({ ...unsaved, message: what === undefined ? message : `${what}. ${message}` });
  }

  /**
   * The failure as the caller gets it. For a cancelled call it says whether the call was sent: nothing else shows that.
   */
  #toReported(failure: CallFailure): CallFailure {
    const { problems, veil } = failure;
    return {
      ...failure,
      message: this.#redact(failure.message),
      ...(problems !== undefined && { problems: redactJson(this.#deps.redact, problems) }),
      ...(veil !== undefined && { veil: { ending: veil.ending, message: this.#redact(veil.message) } }),
      ...(failure.ending === "cancelled" && { sent: this.mayHaveRun }),
    };
  }

  #failed(failure: CallFailure): CallOutcome {
    return this.#outcome(failure.ending, { status: "error", failure });
  }

  #outcome(counted: "success" | CallFailure["ending"], ending: Ended): CallOutcome {
    const { metrics } = this.#deps;
    const ref = this.#resolved?.registered.ref;
    metrics.callEnded(ref?.server ?? "", counted);
    const shownName = this.#resolved?.registered.shownName ?? this.#redact(this.#request.tool);
    const durationMs = Math.round(this.#monotonic() - (this.#startedAt ?? 0));
    const outcome = { callId: this.#id, shownName, durationMs, ...ending };
    return ref === undefined ? outcome : { ...outcome, ref };
  }

  // A call is answered even if the ports that its answer needs throw.

  #redact(text: string): string {
    try {
      return this.#deps.redact(text);
    } catch {
      return "[redacted]";
    }
  }

  #monotonic(): number {
    try {
      return this.#deps.clock.monotonic();
    } catch {
      return this.#startedAt ?? 0;
    }
  }
}

type Ended =
  | { readonly status: "success"; readonly result: ToolResult }
  | { readonly status: "error"; readonly failure: CallFailure };

import type { CallFailure, CallOutcome, CallRequest, ResolvedCall, ToolResult } from "../domain/call.ts";
import type { Redactor } from "../domain/redact.ts";
import type { Clock } from "../ports/clock.ts";
import type { Metrics } from "../ports/metrics.ts";

export interface EndPorts {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly redact: Redactor;
}

/** Answers with what kept it from being written, if anything did. */
interface FailureRecorder {
  failure(failure: CallFailure): Promise<CallFailure | undefined>;
}

/** What whoever asked for a call is told about its end. A class, because every call has one. */
export class CallEnd {
  readonly #id: string;
  readonly #request: CallRequest;
  readonly #resolved: ResolvedCall | undefined;
  readonly #recorder: FailureRecorder;
  readonly #ports: EndPorts;
  readonly #startedAt: number;

  constructor(
    id: string,
    request: CallRequest,
    resolved: ResolvedCall | undefined,
    recorder: FailureRecorder,
    ports: EndPorts,
  ) {
    this.#id = id;
    this.#request = request;
    this.#resolved = resolved;
    this.#recorder = recorder;
    this.#ports = ports;
    this.#startedAt = ports.clock.monotonic();
  }

  /** Of a call whose success is recorded. */
  success(result: ToolResult): CallOutcome {
    return this.#outcome("success", { status: "success", result });
  }

  /** Records it first. */
  async failure(failure: CallFailure): Promise<CallOutcome> {
    if (failure.ending === "log-unavailable") return this.unrecorded(failure);
    const unsaved = await this.#recorder.failure(failure);
    const message = this.#ports.redact(failure.message);
    return unsaved === undefined ? this.#failed({ ...failure, message }) : this.unrecorded(unsaved, message);
  }

  /** Where the log cannot be written; whoever asked must also know to what end the call came. */
  unrecorded(unsaved: CallFailure, what?: string): CallOutcome {
    return this.#failed(what === undefined ? unsaved : { ...unsaved, message: `${what}. ${unsaved.message}` });
  }

  #failed(failure: CallFailure): CallOutcome {
    return this.#outcome(failure.ending, { status: "error", failure });
  }

  #outcome(counted: "success" | CallFailure["ending"], ending: Ended): CallOutcome {
    const { clock, metrics } = this.#ports;
    const ref = this.#resolved?.registered.ref;
    metrics.callEnded(ref?.server ?? "", counted);
    const shownName = this.#resolved?.registered.shownName ?? this.#request.tool;
    const durationMs = Math.round(clock.monotonic() - this.#startedAt);
    const told = { callId: this.#id, shownName, durationMs, ...ending };
    return ref === undefined ? told : { ...told, ref };
  }
}

type Ended =
  | { readonly status: "success"; readonly result: ToolResult }
  | { readonly status: "error"; readonly failure: CallFailure };

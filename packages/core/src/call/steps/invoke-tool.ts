import { endAfterActiveTime } from "../../async/pausing-deadline.ts";
import type { Stop } from "../../async/stop.ts";
import type { ApprovedCall, CallFailure, Progress, ToolResult } from "../../domain/call.ts";
import { ConnectionError, endingOf } from "../../domain/connection.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CallFinish, CallInFlight, OutgoingCall } from "../../ports/connector.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Lease, ServerLink } from "../../servers/link/link.ts";
import {
  downAdvice,
  downText,
  type ObstacleAdvice,
  signInAdvice,
  signInText,
  toSentence,
} from "../../toolbox/obstacle.ts";

export interface InvokeDeps {
  readonly link: ServerLink;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** How long a server may go on with a call that its caller gave up on before the connection is replaced. */
  readonly graceMs: number;
  readonly onRoom?: OutgoingCall["onRoom"];
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly advice?: ObstacleAdvice | undefined;
}

export type Invocation = {
  readonly answer:
    | { readonly kind: "answered"; readonly result: ToolResult }
    | { readonly kind: "ended"; readonly failure: CallFailure };
  /**
   * Resolves when the server can no longer be working on the call: only then is the slot free again. The value says
   * whether it answered after its caller had given up. Absent if the server is done already.
   */
  readonly serverDone?: Promise<"late-answer" | "done">;
  /** How long the call was at the server, and how much of that the server waited for a person. */
  readonly ranMs: number;
  readonly askedMs: number;
  /** Whether the call was handed to the server, which may have run it. */
  readonly sent: boolean;
};

/** Makes one approved call, once. Its timeout starts when it is sent; waiting for a connection has its own limits. */
export async function invokeTool(call: ApprovedCall, deps: InvokeDeps, stop: Stop): Promise<Invocation> {
  let lease: Lease;
  try {
    const leased = deps.link.lease(stop);
    lease = leased instanceof Promise ? await leased : leased;
  } catch (error) {
    return notMade(toConnectionError(error), call, deps);
  }
  try {
    const { link, clock, metrics, graceMs, onRoom, onProgress } = deps;
    const { registered } = call;
    let timedOut = false;
    const { timeoutMs } = registered.limits;
    const startedAt = clock.monotonic();
    const questionsMs = () => link.questionsMs?.() ?? 0;
    const askedBefore = questionsMs();
    const giveUp = () => {
      timedOut = !stop.aborted;
      stop.abort();
    };
    const cancelTimer = endAfterActiveTime(timeoutMs, clock, questionsMs, giveUp, startedAt);
    let flight: CallInFlight;
    let failed: ConnectionError;
    let ranMs = 0;
    try {
      flight = lease.connection.callTool({
        name: registered.ref.name,
        arguments: call.arguments,
        inputSchema: registered.tool.inputSchema,
        signal: stop,
        onProgress,
        onRoom,
      });
      try {
        const result = await flight.answer;
        lease.release();
        ranMs = clock.monotonic() - startedAt;
        return { answer: { kind: "answered", result }, ranMs, askedMs: questionsMs() - askedBefore, sent: true };
      } catch (error) {
        failed = toConnectionError(error);
        ranMs = clock.monotonic() - startedAt;
      }
    } finally {
      cancelTimer();
      metrics.toolUsed(registered.ref.name, ranMs / 1000);
    }
    if (failed.retryAfterMs !== undefined) lease.coolDown(failed);
    const gaveUp = stop.aborted;
    const serverDone = waitForServer(flight, lease, clock, graceMs)
      .finally(() => lease.release())
      .then((finish) => (gaveUp && finish === "answered" ? "late-answer" : "done"));
    const failure = gaveUp ? gaveUpFailure(timedOut ? "timed-out" : "cancelled", call) : toFailure(failed, call, deps);
    const sent = gaveUp || !(failed.unsent || NEVER_SENT.has(failed.code));
    return { answer: { kind: "ended", failure }, serverDone, ranMs, askedMs: questionsMs() - askedBefore, sent };
  } catch (error) {
    // Otherwise a connection that is to be replaced would wait for this call for ever.
    lease.release();
    throw error;
  }
}

/**
 * A call that its caller gave up on still occupies its server; after the grace period, only a fresh connection is sure
 * to be free of it.
 */
async function waitForServer(
  { finished }: CallInFlight,
  lease: Lease,
  clock: Clock,
  graceMs: number,
): Promise<CallFinish> {
  let cancelTimer: () => void = () => undefined;
  const grace = new Promise<"over">((resolve) => {
    cancelTimer = clock.after(graceMs, () => resolve("over"));
  });
  const first = await Promise.race([finished, grace]);
  cancelTimer();
  if (first !== "over") return first;
  await lease.abandon();
  return "unknown";
}

function toFailure(error: ConnectionError, { definition }: ApprovedCall, { advice }: InvokeDeps): CallFailure {
  const ending = endingOf(error);
  if (ending === "sign-in-needed")
    return {
      ending,
      message: toSentence(signInText(definition.name, error.message), signInAdvice(error.message, advice)),
    };
  if (ending === "interrupted")
    return {
      ending,
      message: `Server '${definition.name}' went away before it answered; the call may have run. ${error.message}`,
    };
  return { ending, message: error.message };
}

function gaveUpFailure(why: "timed-out" | "cancelled", { registered }: ApprovedCall): CallFailure {
  if (why === "cancelled")
    return { ending: why, message: `The call of tool '${registered.shownName}' was cancelled; it may have run` };
  const seconds = registered.limits.timeoutMs / 1000;
  return { ending: why, message: `Tool '${registered.shownName}' did not answer within ${seconds} s; it may have run` };
}

function notMade(error: ConnectionError, call: ApprovedCall, deps: InvokeDeps): Invocation {
  // Nothing was sent: whatever failed while the connection was opened, the call certainly did not run.
  const failure: CallFailure =
    error.code === "sign-in-needed" || error.code === "cancelled"
      ? toFailure(error, call, deps)
      : {
          ending: "unreachable",
          message: toSentence(downText(call.definition.name, error.message), downAdvice(error.message, deps.advice)),
        };
  return { answer: { kind: "ended", failure }, ranMs: 0, askedMs: 0, sent: false };
}

/** Error codes that guarantee that no byte of the request was sent. */
const NEVER_SENT: ReadonlySet<ConnectionError["code"]> = new Set(["unreachable", "misconfigured"]);

function toConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  throw error;
}

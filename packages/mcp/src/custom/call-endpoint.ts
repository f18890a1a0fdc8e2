import {
  type CallInFlight,
  type Clock,
  ConnectionError,
  type Cooldown,
  type CustomTool,
  createCooldown,
  type OutgoingCall,
  Stop,
  type StopSignal,
  type ToolResult,
} from "@tacklebox/core";
import { drain, type HttpExchange, isOk } from "../upstream/http/http-exchange.ts";
import { launchHeaders, launchUrl } from "../upstream/http/request-headers.ts";
import type { RedactServerText } from "../upstream/protocol/redact-server-text.ts";
import { refusalOf, toCallRefusal } from "../upstream/protocol/refusal.ts";
import { toFailedResult, toResult } from "./to-result.ts";

export interface EndpointCaller {
  call(tool: CustomTool, call: OutgoingCall): CallInFlight;
  /** Ends everything in flight; calls after it are refused. */
  close(): Promise<void>;
}

export interface EndpointCallerParts {
  readonly exchange: HttpExchange;
  readonly clock: Clock;
  readonly redact: RedactServerText;
}

/** Statuses with which an endpoint refuses the caller or the moment, rather than answering the call. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429, 503]);

export function createEndpointCaller({ exchange, clock, redact }: EndpointCallerParts): EndpointCaller {
  /** By host: several tools may be endpoints of one, and it is the host that asks to be left alone. */
  const rests = new Map<string, Cooldown>();
  const inFlight = new Map<Stop, Promise<unknown>>();
  let closed = false;

  function call(tool: CustomTool, outgoing: OutgoingCall): CallInFlight {
    const stop = new Stop();
    const abort = () => stop.abort();
    outgoing.signal.addEventListener("abort", abort);
    if (outgoing.signal.aborted) abort();
    const answer = send(tool, outgoing, stop)
      .catch((error: unknown) => {
        const wasClosed = closed && !outgoing.signal.aborted;
        throw wasClosed && error instanceof ConnectionError && error.code === "cancelled" ? closedEarly() : error;
      })
      .finally(() => outgoing.signal.removeEventListener("abort", abort));
    // An endpoint that nobody waits for is hung up on, so a late answer never comes.
    const over = () => {
      inFlight.delete(stop);
      return "unknown" as const;
    };
    const finished = answer.then(over, over);
    inFlight.set(stop, finished);
    return { answer, finished };
  }

  async function send(tool: CustomTool, { arguments: args }: OutgoingCall, signal: StopSignal): Promise<ToolResult> {
    if (closed) throw new ConnectionError("unreachable", "The connection is closed.");
    const url = launchUrl(tool);
    const rest = restOf(url);
    const resting = rest.refusal();
    if (resting !== undefined)
      throw new ConnectionError("unreachable", `${url.host} is not asked now: ${resting.message}`);
    const reply = await exchange({
      method: "POST",
      url: url.href,
      headers: { "content-type": "application/json", accept: ACCEPTED, ...launchHeaders(tool) },
      body: JSON.stringify(args),
      signal,
    });
    if (isOk(reply)) return toResult(reply, tool.url);
    if (!REFUSALS.has(reply.status)) return toFailedResult(reply, redact);
    await drain(reply.body);
    const refusal = toCallRefusal(refusalOf(reply, clock.now()));
    if (refusal.retryAfterMs !== undefined) rest.begin(refusal);
    throw refusal;
  }

  function restOf({ origin }: URL): Cooldown {
    const rest = rests.get(origin) ?? createCooldown(clock);
    rests.set(origin, rest);
    return rest;
  }

  return {
    call,
    async close() {
      closed = true;
      for (const stop of inFlight.keys()) stop.abort();
      await Promise.all(inFlight.values());
    },
  };
}

/** Anything will do, these can be shown best. */
const ACCEPTED = "application/json, text/*, image/*, */*;q=0.5";

function closedEarly(): ConnectionError {
  return new ConnectionError("interrupted", "The connection was closed before the endpoint answered.");
}

import {
  type Advice,
  type CallInFlight,
  type Clock,
  ConnectionError,
  type Cooldown,
  type CustomTool,
  createCooldown,
  type OutgoingCall,
  type ServerDefinition,
  Stop,
  type StopSignal,
  type ToolResult,
} from "@tacklebox/core";
import { causeOf } from "../upstream/causes/http-cause.ts";
import { type Site, toSite } from "../upstream/causes/site.ts";
import { addressOf, drain, type HttpExchange, type HttpReply, isOk } from "../upstream/http/http-exchange.ts";
import { launchHeaders, launchUrl } from "../upstream/http/request-headers.ts";
import { boundedText } from "../upstream/protocol/limits/outgoing-limits.ts";
import type { RedactServerText } from "../upstream/protocol/redact-server-text.ts";
import { needsSignIn, refusalOf, toCallRefusal } from "../upstream/protocol/refusal.ts";
import type { MessageRoom } from "../upstream/protocol/room/message-room.ts";
import { toFailedResult, toResult } from "./to-result.ts";

export interface EndpointCaller {
  call(tool: CustomTool, call: OutgoingCall): CallInFlight;
  /** Aborts every call in flight; later calls are refused. */
  close(): Promise<void>;
}

export interface EndpointCallerDeps {
  readonly exchange: HttpExchange;
  readonly clock: Clock;
  readonly room: MessageRoom;
  readonly redact: RedactServerText;
  readonly definition: Pick<ServerDefinition, "key" | "scope">;
  readonly storeSecret: Advice["storeSecret"] | undefined;
}

/** Statuses that turn the caller away for now instead of answering the call. */
const NOT_NOW: ReadonlySet<number> = new Set([429, 503]);

export function createEndpointCaller(deps: EndpointCallerDeps): EndpointCaller {
  const { exchange, clock, room, redact } = deps;
  /** By origin: several tools may share a host, and a `Retry-After` applies to the host. */
  const cooldowns = new Map<string, Cooldown>();
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
    // Aborting closes the HTTP request, so a late answer never arrives.
    const onSettled = () => {
      inFlight.delete(stop);
      return "unknown" as const;
    };
    const finished = answer.then(onSettled, onSettled);
    inFlight.set(stop, finished);
    return { answer, finished };
  }

  async function send(tool: CustomTool, outgoing: OutgoingCall, signal: StopSignal): Promise<ToolResult> {
    if (closed) throw new ConnectionError("unreachable", "The connection is closed.");
    const url = launchUrl(tool);
    const cooldown = cooldownFor(url);
    const cooldownRefusal = cooldown.refusal();
    if (cooldownRefusal !== undefined)
      throw new ConnectionError("unreachable", `${url.host} is not asked now: ${cooldownRefusal.message}`);
    const body = boundedText(() => JSON.stringify(outgoing.arguments));
    if (typeof body !== "string") throw body;
    const reply = await exchange({
      method: "POST",
      url: url.href,
      headers: { "content-type": "application/json", accept: ACCEPTED, ...launchHeaders(tool) },
      body,
      signal,
    });
    if (isOk(reply)) return read(reply, tool, outgoing);
    const refused = refusalOf(reply, url.href, clock.now());
    if (!NOT_NOW.has(reply.status) && !needsSignIn(causeOf(refused))) return toFailedResult(reply, redact);
    await drain(reply.body);
    const refusal = toCallRefusal(refused, siteOf(tool, url));
    if (refusal.retryAfterMs !== undefined) cooldown.begin(refusal);
    throw refusal;
  }

  async function read(reply: HttpReply, tool: CustomTool, { onRoom }: OutgoingCall): Promise<ToolResult> {
    const seat = room.seat();
    try {
      const result = await toResult(reply, tool.url, seat);
      const leave = onRoom === undefined ? undefined : seat.take();
      if (leave !== undefined) onRoom?.(leave);
      return result;
    } finally {
      seat.leave();
    }
  }

  function siteOf(tool: CustomTool, { href }: URL): Site {
    const { storeSecret, definition } = deps;
    return toSite({ address: addressOf(href), transport: "custom", storeSecret, redact, definition, target: tool });
  }

  function cooldownFor({ origin }: URL): Cooldown {
    const cooldown = cooldowns.get(origin) ?? createCooldown(clock);
    cooldowns.set(origin, cooldown);
    return cooldown;
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

/** Any type is accepted; the ones named here can be displayed best. */
const ACCEPTED = "application/json, text/*, image/*, */*;q=0.5";

function closedEarly(): ConnectionError {
  return new ConnectionError("interrupted", "The connection was closed before the endpoint answered.");
}

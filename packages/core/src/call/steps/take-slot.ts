import type { StopSignal } from "../../async/stop.ts";
import type { CallFailure, ResolvedCall } from "../../domain/call.ts";
import { type ServerDefinition, serverKey, toKeyPart } from "../../domain/server.ts";
import type { RegisteredTool, ToolboxSettings } from "../../domain/tool.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Gate } from "../slots/gate.ts";
import type { Limiter } from "../slots/limiter.ts";
import type { RateMeter, RatePass } from "../slots/rate-meter.ts";
import type { SlotAnswer } from "../slots/wait-for-room.ts";

export interface SlotDeps {
  readonly limiter: Limiter;
  readonly rates: RateMeter;
  readonly clock: Clock;
}

export type Slot =
  | { readonly kind: "taken"; release(): void }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** A promise only if the slot is not free at once, so that the call can be stored as pending while it waits. */
export type SlotRequest = Slot | Promise<Slot>;

/**
 * Takes room for one call: at its tool, then its server, then the whole toolbox, so that calls queued on one busy tool
 * hold nothing that others need (D.12). The rate comes first: a call it refuses must not occupy a queue.
 */
export function takeSlot(
  call: ResolvedCall,
  settings: ToolboxSettings,
  deps: SlotDeps,
  signal: StopSignal,
): SlotRequest {
  const { rate } = call.definition;
  const limits = limitsOf(call, settings);
  const pass = rate === undefined ? "passed" : deps.rates.pass(limits.rateKey, rate, settings.maxWaitMs, signal);
  if (pass instanceof Promise) return takeAfter(pass, call, settings, deps, signal);
  if (pass !== "passed") return withoutPass(pass, call);
  const ticket = deps.limiter.take(limits.gates, settings.maxWaitMs, signal);
  return ticket.waiting ? ticket.answer.then(toSlot) : toSlot(ticket.answer);
}

/** Together, the waits for the rate and for room take no longer than one wait may. */
async function takeAfter(
  passing: Promise<RatePass>,
  call: ResolvedCall,
  settings: ToolboxSettings,
  { limiter, clock }: SlotDeps,
  signal: StopSignal,
): Promise<Slot> {
  const since = clock.monotonic();
  const { gates } = limitsOf(call, settings);
  const pass = await passing;
  if (pass !== "passed") return withoutPass(pass, call);
  const leftMs = Math.max(0, settings.maxWaitMs - (clock.monotonic() - since));
  return toSlot(await limiter.take(gates, leftMs, signal).answer);
}

function withoutPass(pass: Exclude<RatePass, "passed">, call: ResolvedCall): Slot {
  return pass === "refused" ? ended(rateText(call)) : CANCELLED;
}

function toSlot(answer: SlotAnswer): Slot {
  if (answer.kind === "taken") return answer;
  return answer.kind === "refused" ? ended(answer.text) : CANCELLED;
}

const CANCELLED: Slot = {
  kind: "ended",
  failure: { ending: "cancelled", message: "The call was cancelled while it waited for a free slot" },
};

/** Built once per tool, not per call, and again if its settings or definition change. */
const madeLimits = new WeakMap<RegisteredTool, CallLimits>();

/** All gates that a call of one tool must pass. */
interface CallLimits {
  readonly definition: ServerDefinition;
  readonly settings: ToolboxSettings;
  readonly rateKey: string;
  readonly gates: readonly Gate[];
}

function limitsOf({ registered, definition, sessionId }: ResolvedCall, settings: ToolboxSettings): CallLimits {
  const made = madeLimits.get(registered);
  if (made !== undefined && made.definition === definition && made.settings === settings) return made;
  const server = serverKey(registered.ref, sessionId);
  const limits = { definition, settings, rateKey: server, gates: makeGates(registered, definition, settings, server) };
  madeLimits.set(registered, limits);
  return limits;
}

function makeGates(
  { ref, limits, shownName }: RegisteredTool,
  { name, maxConcurrent }: ServerDefinition,
  settings: ToolboxSettings,
  server: string,
): readonly Gate[] {
  const ofTool: Gate = {
    key: `tool:${server}/${toKeyPart(ref.name)}`,
    limit: limits.maxInstances,
    of: { kind: "tool", name: shownName },
  };
  const ofToolbox: Gate = { key: "toolbox", limit: settings.maxConcurrent, of: { kind: "toolbox" } };
  if (maxConcurrent === undefined) return [ofTool, ofToolbox];
  return [ofTool, { key: `server:${server}`, limit: maxConcurrent, of: { kind: "server", name } }, ofToolbox];
}

function rateText({ definition }: ResolvedCall): string {
  return `Server '${definition.name}' is at its rate limit of ${definition.rate?.perMinute} calls per minute`;
}

function ended(message: string): Slot {
  return { kind: "ended", failure: { ending: "limit", message } };
}

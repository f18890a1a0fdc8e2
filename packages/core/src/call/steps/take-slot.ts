import { delay } from "../../async/delay.ts";
import type { StopSignal } from "../../async/stop.ts";
import type { CallFailure, ResolvedCall } from "../../domain/call.ts";
import { type ServerDefinition, serverKey } from "../../domain/server.ts";
import type { RegisteredTool, ToolboxSettings } from "../../domain/tool.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Gate, Limiter, SlotAnswer } from "../slots/limiter.ts";
import type { RateMeter } from "../slots/rate-meter.ts";

export interface SlotDeps {
  readonly limiter: Limiter;
  readonly rates: RateMeter;
  readonly clock: Clock;
}

export type Slot =
  | { readonly kind: "taken"; readonly release: () => void }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** A promise where the slot is not free at once, so that the call can be stored as pending while it waits. */
export type SlotRequest = Slot | Promise<Slot>;

/**
 * Room for one call: per tool, then per server, then in the whole toolbox, so that calls queued on one busy tool
 * hold nothing that others need (D.12). The rate is asked first: a call it refuses must not occupy a queue.
 */
export function takeSlot(
  call: ResolvedCall,
  settings: ToolboxSettings,
  { limiter, rates, clock }: SlotDeps,
  signal: StopSignal,
): SlotRequest {
  const { definition } = call;
  const waitMs =
    definition.rate === undefined ? 0 : rates.reserve(serverKeyOf(call), definition.rate, settings.maxWaitMs);
  if (waitMs === undefined) return ended(rateText(call));

  const gates = gatesFor(call, settings);
  if (waitMs > 0) return afterDelay(waitMs);
  const ticket = limiter.take(gates, settings.maxWaitMs, signal);
  return ticket.waiting ? ticket.answer.then(toSlot) : toSlot(ticket.answer);

  async function afterDelay(ms: number): Promise<Slot> {
    if (!(await delay(ms, clock, signal))) return CANCELLED;
    return toSlot(await limiter.take(gates, settings.maxWaitMs - ms, signal).answer);
  }
}

function toSlot(answer: SlotAnswer): Slot {
  if (answer.kind === "granted") return { kind: "taken", release: answer.release };
  if (answer.kind === "refused") return { kind: "ended", failure: { ending: "limit", message: answer.text } };
  return CANCELLED;
}

const CANCELLED: Slot = {
  kind: "ended",
  failure: { ending: "cancelled", message: "The call was cancelled while it waited for a free slot" },
};

/** Made once per tool, not per call; new settings or a new definition make new ones. */
const madeGates = new WeakMap<RegisteredTool, MadeGates>();

interface MadeGates {
  readonly definition: ServerDefinition;
  readonly settings: ToolboxSettings;
  readonly gates: readonly Gate[];
}

function gatesFor(call: ResolvedCall, settings: ToolboxSettings): readonly Gate[] {
  const { registered, definition } = call;
  const made = madeGates.get(registered);
  if (made !== undefined && made.definition === definition && made.settings === settings) return made.gates;
  const gates = makeGates(registered, definition, settings, serverKeyOf(call));
  madeGates.set(registered, { definition, settings, gates });
  return gates;
}

function makeGates(
  { ref, limits, shownName }: RegisteredTool,
  definition: ServerDefinition,
  settings: ToolboxSettings,
  server: string,
): readonly Gate[] {
  return [
    {
      key: `tool:${server}/${ref.name}`,
      limit: limits.maxInstances,
      text: () => `Tool '${shownName}' is at its limit of ${limits.maxInstances} concurrent calls`,
    },
    ...(definition.maxConcurrent === undefined
      ? []
      : [
          {
            key: `server:${server}`,
            limit: definition.maxConcurrent,
            text: () => `Server '${definition.name}' is at its limit of ${definition.maxConcurrent} concurrent calls`,
          },
        ]),
    {
      key: "toolbox",
      limit: settings.maxConcurrent,
      text: () => `The toolbox is at its limit of ${settings.maxConcurrent} concurrent calls`,
    },
  ];
}

function serverKeyOf({ registered: { ref }, sessionId }: ResolvedCall): string {
  return serverKey(ref, sessionId);
}

function rateText({ definition }: ResolvedCall): string {
  return `Server '${definition.name}' is at its rate limit of ${definition.rate?.perMinute} calls per minute`;
}

function ended(message: string): Slot {
  return { kind: "ended", failure: { ending: "limit", message } };
}

import type { CallFailure, ResolvedCall } from "../domain/call.ts";
import { pause } from "../domain/pause.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import type { Clock } from "../ports/clock.ts";
import type { Gate, Limiter } from "./slots/limiter.ts";
import type { RateMeter } from "./slots/rate-meter.ts";

export interface SlotPorts {
  readonly limiter: Limiter;
  readonly rates: RateMeter;
  readonly clock: Clock;
}

export type Slot =
  | { readonly kind: "taken"; readonly release: () => void }
  | { readonly kind: "ended"; readonly failure: CallFailure };

export interface SlotRequest {
  /** True when the slot is not free at once, so that the call can be stored as pending while it waits. */
  readonly waiting: boolean;
  readonly slot: Promise<Slot>;
}

/**
 * Room for one call: per tool, then per server, then in the whole toolbox, so that calls queued on one busy tool
 * hold nothing that others need (D.12). The rate is asked first: a call it refuses must not occupy a queue.
 */
export function takeSlot(
  call: ResolvedCall,
  settings: ToolboxSettings,
  { limiter, rates, clock }: SlotPorts,
  signal: AbortSignal,
): SlotRequest {
  const { definition } = call;
  const delay = definition.rate === undefined ? 0 : rates.reserve(serverKey(call), definition.rate, settings.maxWaitMs);
  if (delay === undefined) return ended(rateText(call));

  const gates = gatesFor(call, settings);
  if (delay > 0) return { waiting: true, slot: afterDelay(delay) };
  const ticket = limiter.take(gates, settings.maxWaitMs, signal);
  return { waiting: ticket.waiting, slot: ticket.answer.then(toSlot) };

  async function afterDelay(ms: number): Promise<Slot> {
    if (!(await pause(ms, clock, signal))) return CANCELLED;
    return toSlot(await limiter.take(gates, settings.maxWaitMs - ms, signal).answer);
  }
}

type LimiterAnswer = Awaited<ReturnType<Limiter["take"]>["answer"]>;

function toSlot(answer: LimiterAnswer): Slot {
  if (answer.kind === "granted") return { kind: "taken", release: answer.release };
  if (answer.kind === "refused") return { kind: "ended", failure: { ending: "limit", message: answer.text } };
  return CANCELLED;
}

const CANCELLED: Slot = {
  kind: "ended",
  failure: { ending: "cancelled", message: "The call was cancelled while it waited for a free slot" },
};

function gatesFor({ registered, definition }: ResolvedCall, settings: ToolboxSettings): Gate[] {
  const { ref, limits, shownName } = registered;
  const server = `${ref.scope}/${ref.server}`;
  return [
    {
      key: `tool:${server}/${ref.name}`,
      limit: limits.maxInstances,
      text: `Tool '${shownName}' is at its limit of ${limits.maxInstances} concurrent calls`,
    },
    ...(definition.maxConcurrent === undefined
      ? []
      : [
          {
            key: `server:${server}`,
            limit: definition.maxConcurrent,
            text: `Server '${definition.name}' is at its limit of ${definition.maxConcurrent} concurrent calls`,
          },
        ]),
    {
      key: "toolbox",
      limit: settings.maxConcurrent,
      text: `The toolbox is at its limit of ${settings.maxConcurrent} concurrent calls`,
    },
  ];
}

function serverKey({ registered }: ResolvedCall): string {
  return `${registered.ref.scope}/${registered.ref.server}`;
}

function rateText({ definition }: ResolvedCall): string {
  return `Server '${definition.name}' is at its rate limit of ${definition.rate?.perMinute} calls per minute`;
}

function ended(message: string): SlotRequest {
  return { waiting: false, slot: Promise.resolve({ kind: "ended", failure: { ending: "limit", message } }) };
}

import type { SlotShares } from "../../ports/shares.ts";

/** One member's grant of one gate, and the use it last reported. */
interface Part {
  readonly notify: () => void;
  limit: number;
  grant: number;
  inUse: number;
  waiting: number;
  /** The number of the last raise it got, so that members take turns. */
  servedAt: number;
}

interface SharedGate {
  readonly parts: Map<object, Part>;
  isMoving: boolean;
}

/** Far more moves than needed: turns an endless loop, caused by a member that breaks the contract, into a failure. */
const MAX_MOVES = 10_000;

/**
 * Limits that several limiters in this process share. Each has an equal part; slots it does not use go to those that
 * wait, and return when its own calls wait.
 */
export function createMemorySlotShares(): { join(): SlotShares } {
  const gates = new Map<string, SharedGate>();
  let members = 0;
  let raises = 0;

  function join(): SlotShares {
    members += 1;
    const member = {};
    const listeners: ((key: string) => void)[] = [];

    function partOf(key: string, limit: number): Part {
      const gate = gates.get(key) ?? { parts: new Map(), isMoving: false };
      gates.set(key, gate);
      const part = gate.parts.get(member) ?? {
        notify: () => {
          for (const listener of listeners) listener(key);
        },
        limit,
        grant: Math.max(0, Math.min(Math.ceil(limit / members), Math.min(limit, limitOf(gate)) - taken(gate))),
        inUse: 0,
        waiting: 0,
        servedAt: 0,
      };
      part.limit = limit;
      gate.parts.set(member, part);
      return part;
    }

    return {
      granted: (key, limit) => Math.min(limit, partOf(key, limit).grant),
      onChange: (listener) => void listeners.push(listener),
      noteUse(key, inUse, waiting) {
        const gate = gates.get(key);
        const part = gate?.parts.get(member);
        if (gate === undefined || part === undefined) return;
        part.inUse = inUse;
        part.waiting = waiting;
        if (!gate.isMoving) moveRoom(gate);
      },
    };
  }

  function moveRoom(gate: SharedGate): void {
    gate.isMoving = true;
    for (let moves = 0; lowerOne(gate) || raiseOne(gate); moves += 1)
      if (moves > MAX_MOVES) throw new Error("A member does not take the room it waits for, or never says so");
    gate.isMoving = false;
  }

  function raiseOne(gate: SharedGate): boolean {
    if (taken(gate) >= limitOf(gate)) return false;
    const [next] = [...gate.parts.values()]
      .filter(({ waiting }) => waiting > 0)
      .sort((a, b) => Number(isShort(b, gate)) - Number(isShort(a, gate)) || a.servedAt - b.servedAt);
    if (next === undefined) return false;
    raises += 1;
    next.servedAt = raises;
    next.grant = Math.max(next.grant, next.inUse) + 1;
    next.notify();
    return true;
  }

  return { join };
}

function lowerOne(gate: SharedGate): boolean {
  const part = [...gate.parts.values()].find((one) => one.grant > keepable(one, gate));
  if (part === undefined) return false;
  part.grant = keepable(part, gate);
  part.notify();
  return true;
}

/** How many of its slots a member may keep while others wait. */
function keepable(part: Part, gate: SharedGate): number {
  const others = [...gate.parts.values()].filter((other) => other !== part && other.waiting > 0);
  if (others.length === 0) return part.grant;
  if (part.waiting === 0) return Math.min(part.inUse, equalPart(gate));
  return others.some((other) => isShort(other, gate)) ? equalPart(gate) : part.grant;
}

/** True if the member waits and has less than an equal part (or none, if there is not one slot for each). */
function isShort({ waiting, grant }: Part, gate: SharedGate): boolean {
  return waiting > 0 && grant < Math.max(1, equalPart(gate));
}

function equalPart(gate: SharedGate): number {
  return Math.floor(limitOf(gate) / gate.parts.size);
}

function limitOf({ parts }: SharedGate): number {
  return Math.min(...[...parts.values()].map(({ limit }) => limit));
}

/** Slots that are granted, or still in use although they are no longer granted. */
function taken({ parts }: SharedGate): number {
  return [...parts.values()].reduce((sum, { grant, inUse }) => sum + Math.max(grant, inUse), 0);
}

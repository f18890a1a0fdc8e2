import type { StopSignal } from "../../async/stop.ts";
import type { Clock } from "../../ports/clock.ts";

/** One thing a call must have room in: a tool, a server, the whole toolbox. */
export interface Gate {
  readonly key: string;
  readonly limit: number;
  /** What a caller is told when there was no room in time. Written only then: there nearly always is. */
  readonly text: () => string;
}

export type SlotAnswer =
  | { readonly kind: "granted"; readonly release: () => void }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "cancelled" };

/** The answer itself where there is no need to wait, so that nothing is stored as pending that goes on at once. */
export type SlotTicket =
  | { readonly waiting: false; readonly answer: SlotAnswer }
  | { readonly waiting: true; readonly answer: Promise<SlotAnswer> };

export interface Limiter {
  /** Takes room in every gate, in order. Whoever waits in a later gate keeps its place in the earlier ones. */
  take(gates: readonly Gate[], maxWaitMs: number, signal: StopSignal): SlotTicket;
  /** Calls that hold room in a gate now. */
  taken(key: string): number;
}

interface Room {
  limit: number;
  taken: number;
  readonly queue: Set<() => void>;
}

const LONGEST_QUEUE = 1_024;

/** First come, first served per gate, bounded in length and in time. Room is handed over, never raced for. */
export function createLimiter(clock: Clock): Limiter {
  const rooms = new Map<string, Room>();

  function enter(gate: Gate): Room {
    const room = rooms.get(gate.key) ?? addRoom(gate);
    room.limit = gate.limit;
    return room;
  }

  function addRoom({ key, limit }: Gate): Room {
    const room = { limit, taken: 0, queue: new Set<() => void>() };
    rooms.set(key, room);
    return room;
  }

  function leave(key: string): void {
    const room = rooms.get(key);
    if (room === undefined) return;
    room.taken -= 1;
    for (const admit of room.queue) {
      if (room.taken >= room.limit) break;
      room.queue.delete(admit);
      room.taken += 1;
      admit();
    }
    if (room.taken === 0 && room.queue.size === 0) rooms.delete(key);
  }

  function hasRoom(gate: Gate): boolean {
    const room = enter(gate);
    return room.taken < room.limit && room.queue.size === 0;
  }

  /** Nearly every call: there is room everywhere, and nothing to wait for. */
  function takeAll(gates: readonly Gate[]): SlotTicket {
    for (const gate of gates) enter(gate).taken += 1;
    let taken = true;
    const release = () => {
      if (!taken) return;
      taken = false;
      for (let last = gates.length - 1; last >= 0; last -= 1) leave(gates[last]?.key ?? "");
    };
    return settled({ kind: "granted", release });
  }

  function take(gates: readonly Gate[], maxWaitMs: number, signal: StopSignal): SlotTicket {
    if (signal.aborted) return settled({ kind: "cancelled" });
    if (gates.every(hasRoom)) return takeAll(gates);
    const held: string[] = [];
    const release = once(() => {
      for (const key of held.reverse()) leave(key);
    });
    let next = 0;
    /** Goes as far as there is room; returns the gate that is full, if any. */
    const advance = (): Gate | undefined => {
      for (; next < gates.length; next += 1) {
        const gate = gates[next];
        if (gate === undefined) break;
        const room = enter(gate);
        if (room.taken >= room.limit || room.queue.size > 0) return gate;
        room.taken += 1;
        held.push(gate.key);
      }
      return undefined;
    };

    const full = advance();
    if (full === undefined) return settled({ kind: "granted", release });

    const answer = new Promise<SlotAnswer>((resolve) => {
      let blocked = full;
      const finish = (outcome: SlotAnswer) => {
        cancelTimer();
        signal.removeEventListener("abort", cancel);
        if (outcome.kind !== "granted") {
          rooms.get(blocked.key)?.queue.delete(admit);
          release();
        }
        resolve(outcome);
      };
      const admit = () => {
        held.push(blocked.key);
        next += 1;
        const stillFull = advance();
        if (stillFull === undefined) return finish({ kind: "granted", release });
        blocked = stillFull;
        queueUp();
      };
      const queueUp = () => {
        const room = enter(blocked);
        if (room.queue.size >= LONGEST_QUEUE)
          return finish({ kind: "refused", text: `${blocked.text()}, and ${LONGEST_QUEUE} more are waiting` });
        room.queue.add(admit);
      };
      const cancel = () => finish({ kind: "cancelled" });
      const cancelTimer = clock.after(maxWaitMs, () => finish({ kind: "refused", text: blocked.text() }));
      signal.addEventListener("abort", cancel);
      queueUp();
    });
    return { waiting: true, answer };
  }

  return { take, taken: (key) => rooms.get(key)?.taken ?? 0 };
}

function settled(answer: SlotAnswer): SlotTicket {
  return { waiting: false, answer };
}

function once(task: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    task();
  };
}

import type { SlotShares } from "../../ports/shares.ts";
import type { Gate } from "./gate.ts";

/** A call that waits for room. */
export interface Waiter {
  /** Called once the room is the call's. */
  admit(): void;
}

interface Room {
  limit: number;
  taken: number;
  /** In order of arrival. Absent until a call has to wait, which is rare. */
  queue: Set<Waiter> | undefined;
}

export const MAX_QUEUE_LENGTH = 1_024;

/** Counts the calls that hold room in each gate and queues those that wait. Freed room goes to the next in the queue. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();
  readonly #shares: SlotShares | undefined;

  constructor(shares: SlotShares | undefined) {
    this.#shares = shares;
    shares?.onChange((key) => this.#grantChanged(key));
  }

  /** Takes room; false if there is none or other calls wait already. A caller that wants to wait must queue at once. */
  take(gate: Gate): boolean {
    const room = this.#roomOf(gate);
    if (waitingIn(room) > 0 || room.taken >= this.#allowed(gate.key, room)) return false;
    room.taken += 1;
    return true;
  }

  leave(key: string): void {
    const room = this.#rooms.get(key);
    if (room === undefined) return;
    const allowed = this.#allowed(key, room);
    room.taken -= 1;
    this.#dropIfEmpty(key, room);
    if (room.taken >= allowed || this.#admit(key, room)) this.#noteUse(key);
  }

  /** Queues a call; false if the queue is full. The call may be admitted before this returns. */
  queueUp(gate: Gate, waiter: Waiter): boolean {
    const room = this.#roomOf(gate);
    room.queue ??= new Set();
    if (room.queue.size >= MAX_QUEUE_LENGTH) return false;
    room.queue.add(waiter);
    // The limit may have been raised since the calls ahead of this one began to wait.
    this.#admit(gate.key, room);
    this.#noteUse(gate.key);
    return true;
  }

  /** Removes a call that gives up from the queue. */
  withdraw(key: string, waiter: Waiter): void {
    const room = this.#rooms.get(key);
    if (room?.queue?.delete(waiter) !== true) return;
    this.#dropIfEmpty(key, room);
    this.#noteUse(key);
  }

  /** The number of calls that hold room in a gate. */
  taken(key: string): number {
    return this.#rooms.get(key)?.taken ?? 0;
  }

  #roomOf({ key, limit }: Gate): Room {
    const known = this.#rooms.get(key);
    if (known !== undefined) {
      known.limit = limit;
      return known;
    }
    const room: Room = { limit, taken: 0, queue: undefined };
    this.#rooms.set(key, room);
    return room;
  }

  /** Drops gates that no call uses: keys name sessions, which come and go. */
  #dropIfEmpty(key: string, room: Room): void {
    if (room.taken === 0 && waitingIn(room) === 0) this.#rooms.delete(key);
  }

  /** Asks for the grant every time: it can change at any moment, even while calls are being admitted. */
  #allowed(key: string, { limit }: Room): number {
    return this.#shares === undefined ? limit : Math.min(limit, this.#shares.granted(key, limit));
  }

  /** Admits waiting calls while there is room. Returns whether any was admitted. */
  #admit(key: string, room: Room): boolean {
    const { queue } = room;
    if (queue === undefined) return false;
    let admitted = false;
    for (const waiter of queue) {
      if (room.taken >= this.#allowed(key, room)) break;
      queue.delete(waiter);
      room.taken += 1;
      admitted = true;
      waiter.admit();
    }
    return admitted;
  }

  #grantChanged(key: string): void {
    const room = this.#rooms.get(key);
    if (room !== undefined) this.#admit(key, room);
    this.#noteUse(key);
  }

  /** Must be the last step of any change: the owner of the shares may respond by changing grants. */
  #noteUse(key: string): void {
    if (this.#shares === undefined) return;
    const room = this.#rooms.get(key);
    this.#shares.noteUse(key, room?.taken ?? 0, room === undefined ? 0 : waitingIn(room));
  }
}

function waitingIn({ queue }: Room): number {
  return queue === undefined ? 0 : queue.size;
}

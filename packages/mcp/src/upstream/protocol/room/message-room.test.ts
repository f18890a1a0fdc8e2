import { describe, expect, it } from "vitest";
import { MAX_MESSAGE_BYTES } from "../message-size.ts";
import { createMessageRoom, LARGE_BYTES, type Seat } from "./message-room.ts";

const LARGE = MAX_MESSAGE_BYTES;

/** Grows a message on this seat and reports whether its reader may go on. */
function grow(seat: Seat): { isReady: () => boolean; ready: Promise<void> } {
  let isReady = false;
  const ready = Promise.resolve(seat.grow(LARGE)).then(() => {
    isReady = true;
  });
  return { isReady: () => isReady, ready };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("F10 the room for large messages", () => {
  it("is not needed for small messages, and is needed once for a large one", () => {
    const room = createMessageRoom({ bytes: MAX_MESSAGE_BYTES });
    const seat = room.seat();
    expect([seat.grow(LARGE_BYTES), seat.take()]).toEqual([undefined, undefined]);
    expect([seat.grow(LARGE), seat.grow(LARGE + 5)]).toEqual([undefined, undefined]);
    expect(seat.take()).toBeTypeOf("function");
    expect(seat.take()).toBeUndefined();
  });

  it("makes readers wait in turn until someone leaves, once per message", async () => {
    const room = createMessageRoom({ bytes: 2 * MAX_MESSAGE_BYTES });
    const seats = [1, 2, 3, 4].map(() => room.seat());
    const [first, second, third, fourth] = seats.map(grow);
    await turn();
    const states = () => [first, second, third, fourth].map((one) => one?.isReady());
    expect(states()).toEqual([true, true, false, false]);
    const leave = seats[0]?.take();
    leave?.();
    leave?.();
    await turn();
    expect(states()).toEqual([true, true, true, false]);
    seats[1]?.leave();
    await fourth?.ready;
  });

  it("lets a reader go whose message ends while it waits, and gives its place to no one", async () => {
    const room = createMessageRoom({ bytes: MAX_MESSAGE_BYTES });
    const [first, second, third] = [room.seat(), room.seat(), room.seat()];
    grow(first);
    const waiting = grow(second);
    const next = grow(third);
    second.leave();
    await waiting.ready;
    expect(next.isReady()).toBe(false);
    first.leave();
    await next.ready;
    expect(grow(second).isReady()).toBe(false);
  });

  it("counts only the size of a message once it is read", () => {
    const room = createMessageRoom({ bytes: MAX_MESSAGE_BYTES + 2 * (LARGE_BYTES + 1) });
    const seats = [1, 2, 3].map(() => room.seat());
    const leaves = seats.map((seat) => {
      expect(seat.grow(LARGE_BYTES + 1)).toBeUndefined();
      return seat.take();
    });
    const waiting = room.seat();
    expect(waiting.grow(LARGE_BYTES + 1)).toBeInstanceOf(Promise);
    waiting.leave();
    leaves[0]?.();
    expect(waiting.grow(LARGE_BYTES + 1)).toBeUndefined();
  });

  it("takes the place of one who holds it for long, and its leaving then has no effect", async () => {
    const room = createMessageRoom({ bytes: MAX_MESSAGE_BYTES, maxHoldMs: 50 });
    const [slow, second, third] = [room.seat(), room.seat(), room.seat()];
    grow(slow);
    await grow(second).ready;
    slow.leave();
    const waiting = third.grow(LARGE);
    expect(waiting).toBeInstanceOf(Promise);
    second.leave();
    await waiting;
    third.leave();
  });
});

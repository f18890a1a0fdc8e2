import { describe, expect, it } from "vitest";
import { createMessageRoom, LARGE_BYTES, type Seat } from "./message-room.ts";

const LARGE = LARGE_BYTES + 1;

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
    const room = createMessageRoom({ places: 1 });
    const seat = room.seat();
    expect([seat.grow(LARGE_BYTES), seat.take()]).toEqual([undefined, undefined]);
    expect([seat.grow(LARGE), seat.grow(LARGE + 5)]).toEqual([undefined, undefined]);
    expect(seat.take()).toBeTypeOf("function");
    expect(seat.take()).toBeUndefined();
  });

  it("makes readers wait in turn until someone leaves, once per message", async () => {
    const room = createMessageRoom({ places: 2 });
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
    const room = createMessageRoom({ places: 1 });
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

  it("lets a reader go ahead after a long wait, and takes that into account", async () => {
    const room = createMessageRoom({ places: 1, maxWaitMs: 1 });
    const [first, second] = [room.seat(), room.seat()];
    grow(first);
    await grow(second).ready;
    first.leave();
    const patient = createMessageRoom({ places: 1 });
    grow(patient.seat());
    const third = grow(patient.seat());
    await turn();
    expect(third.isReady()).toBe(false);
  });
});

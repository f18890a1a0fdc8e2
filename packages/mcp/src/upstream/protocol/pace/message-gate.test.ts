import type { Flood } from "@tacklebox/core";
import { createManualClock } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { paceEvents } from "../../http/paced-events.ts";
import { type Arrival, MessageGate } from "./message-gate.ts";

function create() {
  const clock = createManualClock();
  const floods: Flood[] = [];
  const gate = new MessageGate({ clock, onFlood: (flood) => floods.push(flood) });
  /** Takes messages until the gate is blocked for longer than a turn of the event loop; returns how many it took. */
  async function take(arrival: Arrival, atMost = 100_000): Promise<number> {
    for (let taken = 0; taken < atMost; taken += 1) {
      const blocked = gate.blocked();
      if (blocked !== undefined) {
        let isOver = false;
        blocked.then(
          () => {
            isOver = true;
          },
          () => undefined,
        );
        clock.advance(0);
        await Promise.resolve();
        await Promise.resolve();
        if (!isOver) return taken;
      }
      gate.took(arrival);
    }
    return atMost;
  }
  return { clock, gate, floods, take };
}

describe("the message gate", () => {
  it("lets a burst of unasked messages pass, and then 1,000 a second", async () => {
    const { clock, take, floods } = create();
    expect(await take("unasked", 2_999)).toBe(2_999);
    expect(floods).toEqual([]);
    clock.advance(1_000);
    expect(await take("unasked")).toBe(1_001);
    for (let second = 0; second < 4; second += 1) {
      clock.advance(1_000);
      expect(await take("unasked")).toBe(1_000);
    }
  });

  it("reports a flood once, with its rate, until the server has calmed down", async () => {
    const { clock, take, floods } = create();
    for (let tenth = 0; tenth < 2; tenth += 1) {
      await take("unasked", 1_500);
      clock.advance(100);
    }
    await take("unasked", 1_000);
    const paused = { kind: "paused", perSecond: 16_000 };
    expect(floods).toEqual([paused]);
    clock.advance(1_000);
    await take("unasked");
    expect(floods).toEqual([paused]);
    clock.advance(3_000);
    expect(await take("unasked")).toBe(3_000);
    expect(floods).toHaveLength(2);
  });

  it("gives a server up that went on for five seconds", async () => {
    const { clock, gate, take, floods } = create();
    for (let second = 0; second <= 5; second += 1) {
      await take("unasked");
      clock.advance(1_000);
    }
    await take("unasked");
    expect(floods.map(({ kind }) => kind)).toEqual(["paused", "ended"]);
    expect(gate.ended).toMatchObject({ code: "interrupted", message: expect.stringContaining("messages a second") });
    await expect(gate.blocked()).rejects.toBe(gate.ended);
  });

  it("never pauses a server for what was asked for, only to let others have their turn", async () => {
    const { gate, take, floods } = create();
    expect(await take("progress", 20_000)).toBe(20_000);
    expect(await take("answer", 20_000)).toBe(20_000);
    expect(floods).toEqual([]);
    for (let message = 0; gate.blocked() === undefined; message += 1) {
      if (message > 128) throw new Error("nobody else gets a turn");
      gate.took("progress");
    }
  });

  it("allows a few unasked messages more for each answer, however many calls there are", async () => {
    const { take, floods } = create();
    for (let call = 0; call < 10_000; call += 1) {
      expect(await take("unasked", 5)).toBe(5);
      expect(await take("answer", 1)).toBe(1);
    }
    expect(floods).toEqual([]);
  });

  it("lets everything pass once the server has ended, at once", async () => {
    const { gate, take } = create();
    await take("unasked");
    const blocked = gate.blocked();
    gate.open();
    await blocked;
    expect(await take("unasked", 10_000)).toBe(10_000);
  });
});

describe("a paced event stream", () => {
  it.each([": ping\n", "\n", ":\r", ": x\r\n"])("F6: counts what is part of no event too, such as %j", (line) => {
    const { gate } = create();
    const pace = paceEvents(() => undefined, gate);
    expect(pace(new TextEncoder().encode(line.repeat(5_000)))).toBeInstanceOf(Promise);
    const calm = create();
    const paceCalm = paceEvents(() => undefined, calm.gate);
    expect(paceCalm(new TextEncoder().encode(`data: a:b\ndata: c${line}`))).toBeUndefined();
  });

  it.each(["\n", "\r\n", "\r"])("is passed on whole, event by event while it is paced (line end %j)", async (end) => {
    const { clock, gate, take } = create();
    await take("unasked");
    clock.advance(2);
    const passed: string[] = [];
    const pace = paceEvents((chunk) => {
      passed.push(new TextDecoder().decode(chunk));
      return undefined;
    }, gate);
    const text = `data: 1${end}${end}data: 2${end}${end}data: 3${end}${end}data: 4`;
    const bytes = new TextEncoder().encode(text);
    const cut = text.indexOf("2");
    const first = pace(bytes.subarray(0, cut));
    expect(passed).toEqual([text.slice(0, cut)]);
    expect(first).toBeUndefined();
    const second = pace(bytes.subarray(cut));
    expect(passed.join("")).not.toContain("3");
    clock.advance(1_000);
    await second;
    expect(passed.join("")).toBe(text);
  });
});

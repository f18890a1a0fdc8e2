import { describe, expect, it } from "vitest";
import type { FirstConnection } from "../servers/first-connections.ts";
import { createManualClock, testDefinition } from "../testing/index.ts";
import { createComingServers } from "./coming-servers.ts";

const never = new AbortController().signal;

function setUp(signal = never) {
  const clock = createManualClock();
  let arrive: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let connections: readonly FirstConnection[] = [{ entry: { definition: testDefinition("late") }, since: 0, over }];
  const coming = createComingServers(() => connections, clock, signal);
  const isThere = () => {
    connections = [];
    arrive();
  };
  return { clock, coming, isThere };
}

describe("F5 servers that are coming while a run goes on", () => {
  it("are waited for until one is there", async () => {
    const { clock, coming, isThere } = setUp();
    expect(coming.names()).toEqual(["late"]);
    const waiting = coming.look()();
    isThere();
    expect([await waiting, coming.names(), clock.pending()]).toEqual([true, [], 0]);
    expect(await coming.look()()).toBe(false);
  });

  it("count as there if they came since the look", async () => {
    const { coming, isThere } = setUp();
    const look = coming.look();
    isThere();
    expect(await look()).toBe(true);
  });

  it("cost one run 5 s in all", async () => {
    const { clock, coming } = setUp();
    const first = coming.look()();
    clock.advance(5_000);
    expect(await first).toBe(false);
    const second = coming.look()();
    clock.advance(0);
    expect(await second).toBe(false);
  });

  it("are not waited for by a run that was cancelled", async () => {
    const stop = new AbortController();
    const { clock, coming } = setUp(stop.signal);
    const waiting = coming.look()();
    stop.abort();
    expect([await waiting, await coming.look()(), clock.pending()]).toEqual([false, false, 0]);
  });
});

import { describe, expect, it } from "vitest";
import { createInFlight } from "./in-flight.ts";

const never = new AbortController().signal;

function pending(): { work: Promise<void>; end: () => void; fail: (error: Error) => void } {
  let end: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work, end, fail };
}

describe("lines in flight", () => {
  it.each([
    ["calls", { count: 1, bytes: 100 }],
    ["bytes", { count: 100, bytes: 10 }],
  ])("make the next one wait when there are too many %s, until one ends", async (_, most) => {
    const inFlight = createInFlight(most);
    const first = pending();
    inFlight.add(first.work, 10);
    const steps: string[] = [];
    const waiting = inFlight.waitForRoom(never).then(() => steps.push("room"));
    await Promise.resolve();
    steps.push("ended");
    first.end();
    await waiting;
    expect(steps).toEqual(["ended", "room"]);
  });

  it("do not keep it waiting when aborted", async () => {
    const inFlight = createInFlight({ count: 1, bytes: 100 });
    inFlight.add(pending().work, 0);
    const abort = new AbortController();
    const waiting = inFlight.waitForRoom(abort.signal);
    abort.abort();
    await waiting;
  });

  it("have ended when all are done, with the first failure", async () => {
    const inFlight = createInFlight({ count: 10, bytes: 100 });
    const [first, second] = [pending(), pending()];
    inFlight.add(first.work, 0);
    inFlight.add(second.work, 0);
    first.fail(new Error("broken"));
    second.end();
    await expect(inFlight.allEnded()).rejects.toThrow("broken");
  });
});

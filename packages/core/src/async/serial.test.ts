import { describe, expect, it } from "vitest";
import { createSerialPerKey } from "./serial.ts";

describe("changes in turn, per key", () => {
  it("one thing's changes run one at a time, in order, also after one that fails", async () => {
    const inTurn = createSerialPerKey();
    const steps: string[] = [];
    const change = (name: string, fails = false) =>
      inTurn("a", async () => {
        steps.push(`${name} begins`);
        await Promise.resolve();
        steps.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([change("first"), change("second", true), change("third")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(steps).toEqual(["first", "second", "third"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("another thing's changes do not wait", async () => {
    const inTurn = createSerialPerKey();
    const stuck = inTurn("a", () => new Promise(() => undefined));
    expect(await inTurn("b", async () => "done")).toBe("done");
    void stuck;
  });
});

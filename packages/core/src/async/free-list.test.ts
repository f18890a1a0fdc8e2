import { describe, expect, it } from "vitest";
import { FreeList } from "./free-list.ts";

describe("slots", () => {
  it("gives each value a number of its own, and the number back to the next", () => {
    const slots = new FreeList<{ name: string }>();
    const [a, b] = [slots.add({ name: "a" }), slots.add({ name: "b" })];
    expect([slots.at(a), slots.at(b), slots.at(7)]).toEqual([{ name: "a" }, { name: "b" }, undefined]);
    slots.free(a);
    expect(slots.at(a)).toBeUndefined();
    expect(slots.add({ name: "c" })).toBe(a);
  });

  it("gives values that stay the same while it changes", () => {
    const slots = new FreeList<{ slot: number }>();
    for (const slot of [0, 1, 2]) slots.add({ slot });
    const values = slots.values();
    for (const { slot } of values) slots.free(slot);
    expect([values.length, slots.values()]).toEqual([3, []]);
  });
});

import { describe, expect, it } from "vitest";
import { createTimeOrderedId } from "./time-ordered-id.ts";

describe("a time-ordered id", () => {
  const random = "0d3ae9e5-6c0b-4f5e-9a63-9c3f27c7b2d1";

  it("consists of the time, the version and the rest of a random id", () => {
    expect(createTimeOrderedId(Date.UTC(2026, 7, 1), random)).toBe("019fba9e-d800-7f5e-9a63-9c3f27c7b2d1");
  });

  it("sorts as text after every id of an earlier millisecond", () => {
    const low = "00000000-0000-4000-8000-000000000000";
    const high = "ffffffff-ffff-4fff-bfff-ffffffffffff";
    const at = Date.UTC(2026, 7, 1);
    expect(createTimeOrderedId(at, high) < createTimeOrderedId(at + 1, low)).toBe(true);
    expect(createTimeOrderedId(1, high) < createTimeOrderedId(at, low)).toBe(true);
  });
});

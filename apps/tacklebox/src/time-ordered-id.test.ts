import { describe, expect, it } from "vitest";
import { newTimeOrderedId, timeOrderedId } from "./time-ordered-id.ts";

describe("a time-ordered id", () => {
  it("consists of the time, the version, the variant and random digits", () => {
    expect(timeOrderedId(Date.UTC(2026, 7, 1), "f5e5a639c3f27c7b2d1")).toBe("019fba9e-d800-7f5e-9a63-9c3f27c7b2d1");
  });

  it("sorts as text after every id of an earlier millisecond", () => {
    const low = "0".repeat(19);
    const high = "f".repeat(19);
    const at = Date.UTC(2026, 7, 1);
    expect(timeOrderedId(at, high) < timeOrderedId(at + 1, low)).toBe(true);
    expect(timeOrderedId(1, high) < timeOrderedId(at, low)).toBe(true);
  });

  it("is another one each time", () => {
    const ids = Array.from({ length: 10_000 }, newTimeOrderedId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toEqual(
      [],
    );
    for (const place of [19, 35]) expect(new Set(ids.map((id) => id.charAt(place))).size).toBe(place === 19 ? 4 : 16);
  });
});

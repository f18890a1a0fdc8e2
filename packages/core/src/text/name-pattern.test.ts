import { describe, expect, it } from "vitest";
import { matchesAny } from "./name-pattern.ts";

describe("matchesAny", () => {
  it.each([
    ["read", "read", true],
    ["read", "reader", false],
    ["read_*", "read_file", true],
    ["read_*", "write_file", false],
    ["*_file", "read_file", true],
    ["*", "", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["a*x*b", "ab", false],
  ])("%s on %s is %s", (pattern, name, expected) => {
    expect(matchesAny([pattern], name)).toBe(expected);
  });

  it("matches nothing without patterns", () => {
    expect(matchesAny([], "a")).toBe(false);
  });
});

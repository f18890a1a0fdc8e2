import { describe, expect, it } from "vitest";
import { describeDifference } from "./describe-demands.ts";
import type { StoredDemand, StoredDemands } from "./record.ts";

function tools(...approvals: readonly string[]): StoredDemands {
  const entries = approvals.map(
    (text): StoredDemand => ({ what: "tool", name: "read", lines: [{ label: "approval", text }] }),
  );
  return { entries, variables: [], secrets: [] };
}

describe("what changed between two versions of a file", () => {
  it.each([
    [
      "the first of two of one title changed",
      tools("ask", "deny"),
      tools("auto", "deny"),
      "tool read\n  - approval  ask\n  + approval  auto\n",
    ],
    [
      "both changed",
      tools("ask", "ask"),
      tools("auto", "deny"),
      "tool read\n  - approval  ask\n  + approval  auto\ntool read\n  - approval  ask\n  + approval  deny\n",
    ],
    ["the first of two is gone", tools("auto", "deny"), tools("deny"), "tool read\n  - approval  auto\n"],
    ["one of two equal ones is gone", tools("auto", "auto"), tools("auto"), "tool read\n  - approval  auto\n"],
    ["one was added before another", tools("deny"), tools("auto", "deny"), "tool read\n  + approval  auto\n"],
    ["two changed places", tools("auto", "deny"), tools("deny", "auto"), ""],
  ])("is told when %s", (_, before, now, difference) => {
    expect(describeDifference(before, now)).toBe(difference);
  });
});

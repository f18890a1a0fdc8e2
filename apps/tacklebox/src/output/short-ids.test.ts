import { expect, it } from "vitest";
import { shortenIds } from "./short-ids.ts";

const FIRST = "0199f7d2-5a8e-7c31-b0a4-3f6d2c1e9b57";

it("shows the time in an id, which tells it from most others", () => {
  expect(shortenIds([FIRST, "0199f7d2-5a8f-7c31-b0a4-3f6d2c1e9b57"])).toEqual(["0199f7d2-5a8e", "0199f7d2-5a8f"]);
});

it("shows as much more as tells apart ids of the same millisecond", () => {
  expect(shortenIds([FIRST, "0199f7d2-5a8e-7c41-b0a4-3f6d2c1e9b57"])).toEqual([
    "0199f7d2-5a8e-7c3",
    "0199f7d2-5a8e-7c4",
  ]);
});

it("shows ids of other kinds as they are, and ends when one comes twice", () => {
  expect(shortenIds(["mine", FIRST, FIRST])).toEqual(["mine", "0199f7d2-5a8e", "0199f7d2-5a8e"]);
});

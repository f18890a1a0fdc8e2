import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { JsonSchema } from "../json/json.ts";
import { systemClock } from "../platform/system-clock.ts";
import { createValidator } from "./create-validator.ts";

const never = new AbortController().signal;

setFlagsFromString("--expose-gc");
const collectGarbage: unknown = runInNewContext("gc");

function heapMegabytes(): number {
  if (typeof collectGarbage === "function") collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** About 10 KB, each different from all others. */
function freshSchema(round: number): JsonSchema {
  const names = Array.from({ length: 40 }, (_, index) => `name_${round}_${index}`);
  const property = { type: "string", pattern: "^[a-z]{1,20}$", description: "x".repeat(150) };
  return {
    $id: "https://example.org/tool",
    type: "object",
    properties: Object.fromEntries(names.map((n) => [n, property])),
  };
}

it("T28 a server whose schemas change 3,000 times does not fill the memory", async () => {
  const validator = createValidator({ clock: systemClock });
  const refresh = async (from: number, to: number) => {
    for (let round = from; round < to; round += 1) await validator.check(freshSchema(round), {}, never);
  };
  // Enough to fill the caches.
  await refresh(0, 600);
  const before = heapMegabytes();
  await refresh(600, 3_600);
  expect(heapMegabytes() - before).toBeLessThan(15);
});

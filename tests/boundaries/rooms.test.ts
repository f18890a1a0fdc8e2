import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CORE_ROOMS, roomBreaches } from "../support/scripts.mjs";
import { root } from "./bad-tree.ts";

describe("the order of core's rooms", () => {
  it("is the one that ARCHITECTURE.md gives", async () => {
    const text = await readFile(join(root, "ARCHITECTURE.md"), "utf8");
    const [, table = ""] = /\| Room \| Holds \|\n\|-+\|-+\|\n((?:\|.*\n)+)/.exec(text) ?? [];
    const rooms = Array.from(table.matchAll(/^\| `([^`]+)` \|/gm), ([, room]) => room);
    expect(rooms).toEqual(CORE_ROOMS);
  });

  it("counts type imports and dynamic ones", () => {
    const file = "packages/core/src/domain/call.ts";
    const breaches = (source: string) => roomBreaches(file, source).length;
    expect(breaches('import type { Clock } from "../ports/clock.ts";')).toBe(1);
    expect(breaches('const load = () => import("../runs/run-prompt.ts");')).toBe(1);
    expect(breaches('export type { Clock } from "../ports/clock.ts";')).toBe(1);
    expect(breaches('import type { Json } from "../json/json.ts";')).toBe(0);
  });
});

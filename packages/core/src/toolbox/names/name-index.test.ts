import { expect, it } from "vitest";
import type { ToolRef } from "../../domain/tool.ts";
import { NameIndex } from "./name-index.ts";
import { toShownName } from "./shown-name.ts";

const refOf = (server: string, name: string): ToolRef => ({ scope: "agent", server, name });

it("names the first tool of another server that has a name which looks the same", () => {
  const index = new NameIndex();
  for (const [name, ref] of [
    ["Echo", refOf("a", "Echo")],
    ["ECHO", refOf("a", "ECHO")],
    ["eCHo", refOf("b", "eCHo")],
  ] as const)
    index.add(name, ref);
  const blockers = ["a", "b", "c"].map((server) => index.blocker("echo", refOf(server, "echo")));
  expect(blockers).toEqual([refOf("b", "eCHo"), refOf("a", "Echo"), refOf("a", "Echo")]);
});

it("compares one tool, however many names of a server look the same", () => {
  const index = new NameIndex();
  let compared = 0;
  const watched = (name: string) =>
    Object.defineProperty(refOf("a", name), "scope", {
      get() {
        compared += 1;
        return "agent";
      },
    });
  const names = Array.from({ length: 1_000 }, (_, count) => `echo${"\u200b".repeat(count)}`);
  for (const name of names) index.add(toShownName(name), watched(name));
  compared = 0;
  for (const name of names) index.blocker("echo-", refOf("a", name), "echo");
  expect(compared).toBeLessThanOrEqual(names.length);
});

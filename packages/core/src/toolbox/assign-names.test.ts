import { describe, expect, it } from "vitest";
import type { Scope } from "../domain/server.ts";
import { testSettings } from "../testing/test-definition.ts";
import { assignNames } from "./assign-names.ts";
import type { ToolCandidate } from "./registration.ts";
import { toShownName } from "./shown-name.ts";

function candidate(server: string, name: string, scope: Scope = "agent"): ToolCandidate {
  return {
    ref: { scope, server, name },
    tool: { name, description: "", inputSchema: { type: "object" }, raw: { name } },
    limits: { maxInstances: 5, timeoutMs: 30_000 },
    configuredBy: "default",
    include: "always",
  };
}

function shown(candidates: ToolCandidate[], settings = testSettings()): Record<string, string> {
  const { tools } = assignNames(candidates, settings);
  return Object.fromEntries([...tools].map(([name, { ref }]) => [name, `${ref.server}/${ref.name}`]));
}

describe("assignNames", () => {
  it("S4.28 lets the last server in configuration order win, hides the other and warns", () => {
    const { tools, hidden, notices } = assignNames(
      [candidate("first", "find"), candidate("second", "find")],
      testSettings(),
    );
    expect(tools.get("find")?.ref.server).toBe("second");
    expect(hidden).toEqual([
      {
        ref: { scope: "agent", server: "first", name: "find" },
        reason: {
          kind: "collision",
          detail:
            "hidden by the tool of the same name from 'second'; set toolbox.collisions to qualify to show it as first__find",
          winner: { scope: "agent", server: "second", name: "find" },
        },
      },
    ]);
    expect(notices).toEqual([
      {
        key: "collision:agent:first:find",
        level: "warn",
        text: "Tool 'find' is offered by 'first' and by 'second'; the one from 'second' is used",
      },
    ]);
  });

  it("D.2 shows the loser under its server's name when collisions are qualified", () => {
    const settings = testSettings({ collisions: "qualify" });
    expect(shown([candidate("first", "find"), candidate("second", "find")], settings)).toEqual({
      find: "second/find",
      first__find: "first/find",
    });
  });

  it("D.2 a local tool wins over MCP, a session tool over both; last_wins is the literal reading", () => {
    const all = [candidate("local", "sum", "local"), candidate("mcp", "sum"), candidate("editor", "sum", "session")];
    expect(shown(all.slice(0, 2))).toEqual({ sum: "local/sum" });
    expect(shown(all)).toEqual({ sum: "editor/sum" });
    expect(shown([...all].reverse())).toEqual({ sum: "editor/sum" });
    expect(shown(all.slice(0, 2), testSettings({ localCollision: "last_wins" }))).toEqual({ sum: "mcp/sum" });
  });

  it("D.13 distinguishes names that become equal when made legal, whatever the order", () => {
    const both = [candidate("s", "a.b"), candidate("s", "a_b"), candidate("t", "a/b")];
    const names = shown(both);
    expect(names.a_b).toBe("s/a_b");
    expect(Object.keys(names)).toHaveLength(3);
    expect(shown([...both].reverse())).toEqual(names);
  });

  it("S1.8 shown names are legal for every vendor and stable", () => {
    for (const raw of ["a.b", "1st", "-x", "größe", "x".repeat(200), "", "with space", "ok_name-2"]) {
      expect(toShownName(raw)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    }
    expect(toShownName("ok_name-2")).toBe("ok_name-2");
    expect(toShownName(`${"x".repeat(100)}a`)).not.toBe(toShownName(`${"x".repeat(100)}b`));
  });
});

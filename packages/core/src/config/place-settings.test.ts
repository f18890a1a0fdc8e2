import { describe, expect, it } from "vitest";
import type { Setting } from "../ports/setting-place.ts";
import { parseConfig } from "./parse-config.ts";

const DENY: Setting = { of: "server", server: "a", key: "deny" };

function placeIn(text: string, setting: Setting, env: Record<string, string> = {}, file = "x.yaml") {
  const parsed = parseConfig(text, { file, env });
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems));
  return parsed.config.placeOf?.(setting);
}

describe("where a setting is written", () => {
  it.each([
    ["our own file", "servers:\n  b: { command: x }\n  a:\n    command: x\n    deny: [y]\n", 5],
    ["a gateway file", "tools:\n  mcp_servers:\n    a:\n      command: x\n      deny: [y]\n", 5],
    ["mcpServers", "mcpServers:\n  a:\n    command: x\n    deny: [y]\n", 4],
    ["another program's name for it", "mcpServers:\n  a:\n    command: x\n    disabledTools: [y]\n", 4],
    ["VS Code's file", 'servers:\n  a:\n    type: stdio\n    command: "x"\n    deny: [y]\n', 5],
    [
      "a toolbox file, whose servers are a list",
      "myai:\n  toolbox:\n    mcps:\n      - { name: b, url: http://127.0.0.1:1, transport: sse, mode: strict }\n      - name: a\n        url: http://127.0.0.1:1\n        transport: sse\n        mode: strict\n        deny: [y]\n",
      9,
    ],
  ])("is found in %s", (_what, text, line) => {
    expect(placeIn(text, DENY)).toBe(`x.yaml:${line}`);
  });

  it("is found in a list, and in an entry of toolbox.tools", () => {
    const text =
      "servers:\n  a:\n    command: x\n    deny:\n      - y\n      - z\ntoolbox:\n  tools:\n    - name: t\n    - name: u\n      approval: deny\n";
    expect(placeIn(text, { ...DENY, index: 1 })).toBe("x.yaml:6");
    expect(placeIn(text, { of: "toolbox", key: "tools", index: 1, field: "approval" })).toBe("x.yaml:11");
  });

  it("is the environment variable that overrides it", () => {
    const text = "servers:\n  a: { command: x, deny: [y] }\n";
    expect(placeIn(text, DENY, { TACKLEBOX__SERVERS__A__DENY: '["z"]' })).toBe(
      "environment variable TACKLEBOX__SERVERS__A__DENY",
    );
  });

  it("is nowhere if nobody wrote it, also for names that every object has", () => {
    const text = "servers:\n  a: { command: x }\n";
    expect(placeIn(text, DENY)).toBeUndefined();
    expect(placeIn(text, { ...DENY, server: "constructor" })).toBeUndefined();
    expect(placeIn(text, { of: "toolbox", key: "tools", index: 0, field: "approval" })).toBeUndefined();
  });
});

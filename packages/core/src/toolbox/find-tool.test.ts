import { describe, expect, it } from "vitest";
import { createToolbox, type RegisteredTool } from "../domain/tool.ts";
import { findTool } from "./find-tool.ts";

function tool(server: string, name: string, shownName = name): [string, RegisteredTool] {
  const registered: RegisteredTool = {
    ref: { scope: "agent", server, name },
    shownName,
    tool: { name, description: "", inputSchema: {}, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
  return [shownName, registered];
}

const toolbox = createToolbox(
  new Map([
    tool("files", "read"),
    tool("mail", "read", "mail__read"),
    tool("mail", "send.now", "send_now"),
    tool("a/b:c", "ping/pong", "ping_pong"),
  ]),
  [],
);

describe("finding a tool by what a person wrote", () => {
  it.each([
    ["read", "files", "read"],
    ["mail__read", "mail", "read"],
    ["files:read", "files", "read"],
    ["files/read", "files", "read"],
    ["mail/read", "mail", "read"],
    ["mail:mail__read", "mail", "read"],
    ["send.now", "mail", "send.now"],
    ["mail:send_now", "mail", "send.now"],
    ["a/b:c/ping/pong", "a/b:c", "ping/pong"],
    ["a/b:c:ping_pong", "a/b:c", "ping/pong"],
  ])("%s means %s's tool %s", (name, server, raw) => {
    expect(findTool(name, toolbox)?.ref).toEqual({ scope: "agent", server, name: raw });
  });

  it.each(["", "write", "files:send_now", "files/", "files", "__proto__", "constructor", "nobody:read"])(
    "%j is none",
    (name) => {
      expect(findTool(name, toolbox)).toBe(undefined);
    },
  );

  it.each(["b:read", "b/read"])("%s never means another server's tool, even while b has no tools", (name) => {
    const tools = new Map([tool("evil", name, "b_read")]);
    expect(findTool(name, createToolbox(tools, [], { serverNames: new Set(["b", "evil"]) }))).toBe(undefined);
    expect(findTool(name, createToolbox(tools, [], { serverNames: new Set(["evil"]) }))?.ref.server).toBe("evil");
  });

  it("a bare name that belongs to another tool never means a namesake, even while its owner is not listed", () => {
    const [shownName, registered] = tool("evil", "echo", "evil__echo");
    const holder = { scope: "agent", server: "good", name: "echo" } as const;
    const conflicts = [{ ref: registered.ref, wanted: "echo", holder, shownName }];
    const refused = createToolbox(new Map([[shownName, registered]]), [], { conflicts });
    expect(findTool("echo", refused)).toBe(undefined);
    expect(findTool("evil:echo", refused)).toBe(registered);
  });
});

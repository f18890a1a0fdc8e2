import { describe, expect, it } from "vitest";
import type { Dialect } from "./dialect.ts";
import { findServersPlace } from "./server-places.ts";

describe("a new server is written", () => {
  it.each<[unknown, Dialect, string]>([
    [{ servers: {} }, "native", "servers"],
    [{ toolbox: {} }, "native", "servers"],
    [{}, "native", "servers"],
    [null, "native", "servers"],
    [{ servers: { a: { type: "http" } } }, "mcp-servers", "servers"],
    [{ inputs: [] }, "mcp-servers", "servers"],
    [{ mcpServers: {}, inputs: [] }, "mcp-servers", "mcpServers"],
    [{ context_servers: null }, "mcp-servers", "context_servers"],
    [{ myai: { toolbox: {} } }, "toolbox", "myai.toolbox.mcps"],
    [{ myai: { toolbox: null } }, "toolbox", "myai.toolbox.mcps"],
    [{ tools: { mcp_servers: {} } }, "gateway", "tools.mcp_servers"],
    [{ tools: [], myai: "x" }, "native", "servers"],
  ])("into %j in dialect %s, under %s", (root, dialect, path) => {
    expect(findServersPlace(root)).toMatchObject({ dialect, path: path.split(".") });
  });
});

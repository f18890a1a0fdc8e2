import { describe, expect, it } from "vitest";
import { detectDialect } from "./detect-dialect.ts";

const EXPECTED =
  "Expected 'servers' (tacklebox.yaml), 'mcpServers', 'context_servers', 'myai.toolbox' or 'tools.mcp_servers'.";

describe("detectDialect", () => {
  it.each([
    [{ servers: {} }, "native"],
    [{ toolbox: {}, servers: {} }, "native"],
    [{ models: {} }, "native"],
    [{ gpts: {} }, "native"],
    [{ custom_tools: [] }, "native"],
    [{ servers: { a: null } }, "native"],
    [{ servers: { a: { type: "http" } } }, "mcp-servers"],
    [{ servers: {}, inputs: [] }, "mcp-servers"],
    [{ mcpServers: {}, models: [], tools: {} }, "mcp-servers"],
    [{ context_servers: {} }, "mcp-servers"],
    [{ myai: { toolbox: {} }, tools: {} }, "toolbox"],
    [{ tools: { mcp_servers: {} } }, "gateway"],
    [{ toolbox: {}, tools: { mcp_servers: {} } }, "gateway"],
    [{ toolbox: {}, mcpServers: {} }, "mcp-servers"],
    [{ toolbox: {}, context_servers: {} }, "mcp-servers"],
    [{ toolbox: {}, servers: { a: { type: "http" } } }, "mcp-servers"],
    [{ toolbox: {}, servers: {}, inputs: [] }, "mcp-servers"],
  ])("recognizes %j as %s", (root, dialect) => {
    expect(detectDialect(root)).toEqual({ kind: "ok", dialect });
  });

  it.each([
    [
      { servers: {}, mcpServers: {} },
      "'servers' (dialect native) and 'mcpServers' (dialect mcp-servers)",
      ["mcpServers"],
    ],
    [
      { toolbox: {}, models: {}, servers: { a: { type: "x" } } },
      "'toolbox' (dialect native) and 'servers' with 'type' or 'inputs' (dialect mcp-servers)",
      ["servers"],
    ],
    [
      { mcpServers: {}, context_servers: {} },
      "'mcpServers' (dialect mcp-servers) and 'context_servers' (dialect mcp-servers)",
      ["context_servers"],
    ],
    [
      { myai: { toolbox: {} }, tools: { mcp_servers: {} } },
      "'myai.toolbox' (dialect toolbox) and 'tools.mcp_servers' (dialect gateway)",
      ["tools", "mcp_servers"],
    ],
    [
      { toolbox: {}, servers: {}, myai: { toolbox: {} } },
      "'toolbox' (dialect native) and 'myai.toolbox' (dialect toolbox)",
      ["myai", "toolbox"],
    ],
  ])("refuses %j, which mixes two dialects, and names both", (root, both, path) => {
    const message = `This file mixes two ways of describing servers: ${both}. Use only one of them per file.`;
    expect(detectDialect(root)).toEqual({ kind: "invalid", path, message });
  });

  it.each([
    [{}, [], `The file is empty. ${EXPECTED}`],
    [{ foo: 1 }, ["foo"], `No servers are described here: 'foo' is not a key that does. ${EXPECTED}`],
    [
      { server: {} },
      ["server"],
      `No servers are described here: 'server' is not a key that does. Did you mean 'servers'? ${EXPECTED}`,
    ],
    [{ myai: 5 }, ["myai"], `No servers are described here: 'myai' is not a key that does. ${EXPECTED}`],
  ])("says what it expects instead of %j", (root, path, message) => {
    expect(detectDialect(root)).toEqual({ kind: "invalid", path, message });
  });
});

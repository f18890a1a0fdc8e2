import type { Dialect } from "@tacklebox/core";
import { expect, it } from "vitest";
import { addEdit, whyUnsupported } from "./edit-servers.ts";

const url = "https://x.example/mcp";

it.each<[Dialect, string, Readonly<Record<string, unknown>>, string | undefined]>([
  ["native", "servers", { url, transport: "streamable-http" }, undefined],
  ["mcp-servers", "mcpServers", { url, transport: "sse" }, undefined],
  ["gateway", "tools.mcp_servers", { command: "x" }, undefined],
  ["gateway", "tools.mcp_servers", { url }, undefined],
  [
    "gateway",
    "tools.mcp_servers",
    { url, transport: "sse" },
    "servers below 'tools.mcp_servers' use transport stdio or http",
  ],
  ["toolbox", "myai.toolbox.mcps", { url }, undefined],
  ["toolbox", "myai.toolbox.mcps", { command: "x" }, "servers below 'myai.toolbox' are reached by url"],
  [
    "toolbox",
    "myai.toolbox.mcps",
    { url, transport: "stdio" },
    "servers below 'myai.toolbox.mcps' use transport streamable_http or sse",
  ],
])("a file of dialect %s with servers below %s accepts %j or says why not", (dialect, path, entry, cause) => {
  expect(whyUnsupported({ dialect, path: path.split(".") }, entry)).toBe(cause);
});

it.each<[Dialect, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
  ["native", { url, transport: "sse" }, { url, transport: "sse" }],
  ["mcp-servers", { url, transport: "sse" }, { url, type: "sse" }],
  ["mcp-servers", { url }, { url }],
  ["gateway", { url }, { url, transport: "http" }],
  ["gateway", { command: "x" }, { command: "x" }],
])("a server added to a file of dialect %s names its transport in that dialect: %j", (dialect, entry, written) => {
  const edit = addEdit({ dialect, path: [] }, new Map([["a", entry]]));
  expect(edit).toMatchObject({ added: { a: written } });
});

it.each([
  [{ url }, "streamable_http"],
  [{ url, transport: "streamable-http" }, "streamable_http"],
  [{ url, transport: "sse" }, "sse"],
])("a toolbox file names the transport of %j: %s", (entry, transport) => {
  const edit = addEdit({ dialect: "toolbox", path: [] }, new Map([["a", entry]]));
  expect(edit).toMatchObject({ added: [{ name: "a", url, transport }] });
});

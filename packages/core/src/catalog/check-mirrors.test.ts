import { describe, expect, it } from "vitest";
import { parseToolList } from "./parse-tool-list.ts";

const tool = (properties: object) => ({ name: "t", inputSchema: { type: "object", properties } });
const marked = (header: unknown, more: object = {}) => ({ type: "string", "x-mcp-header": header, ...more });

describe("T14 arguments that are repeated in HTTP headers", () => {
  it("are known of every tool of a server to which they are sent", () => {
    const entry = tool({ region: marked("Region"), where: { properties: { zone: marked("Zone") } }, other: {} });
    expect(parseToolList([entry], undefined, { mirrors: true }).tools[0]?.mirrored).toEqual([
      { path: ["region"], header: "mcp-param-region" },
      { path: ["where", "zone"], header: "mcp-param-zone" },
    ]);
    expect(parseToolList([entry]).tools[0]).not.toHaveProperty("mirrored");
  });

  it.each([
    ["api_key", marked("A")],
    ["password", marked("A")],
    ["accessToken", marked("A")],
    ["Authorization", marked("A")],
    ["pin", marked("A", { format: "password" })],
    ["code", marked("A", { writeOnly: true })],
  ])("must not look like a secret: %s", (name, property) => {
    const entries = [tool({ [name]: property })];
    expect(parseToolList(entries).tools).toHaveLength(1);
    const { tools, quarantined } = parseToolList(entries, undefined, { mirrors: true });
    expect(tools).toEqual([]);
    expect(quarantined[0]?.reason).toBe(
      `it wants the argument '${name}' repeated in the HTTP header mcp-param-a (x-mcp-header), but that looks like a secret, and headers end up in logs. Its server has to take off that mark`,
    );
  });

  it.each([["key"], ["region"], ["tenant_id"], ["keyword"]])("may be called %s", (name) => {
    expect(parseToolList([tool({ [name]: marked("A") })], undefined, { mirrors: true }).tools).toHaveLength(1);
  });

  it.each([
    ["an empty header", { a: marked("") }],
    ["a header with a space", { a: marked("a b") }],
    ["no text", { a: marked(1) }],
    ["a list", { a: { type: "array", "x-mcp-header": "A" } }],
    ["the same header twice", { b: marked("A"), a: marked("a") }],
  ])("make the tool unusable if their marks are not valid: %s", (_what, properties) => {
    const { quarantined } = parseToolList([tool(properties)], undefined, { mirrors: true });
    expect(quarantined[0]?.reason).toBe("its x-mcp-header of 'a' is not valid, and the protocol forbids using it then");
  });
});

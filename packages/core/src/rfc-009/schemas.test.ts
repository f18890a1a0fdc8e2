import { describe, expect, it } from "vitest";
import {
  GPTMCPConfigSchema,
  JSONSchemaPropertySchema,
  MCPPromptSchema,
  MCPRequestSchema,
  MCPResourceSchema,
  MCPResponseSchema,
  MCPServerCapabilitiesSchema,
  MCPServerConfigSchema,
  MCPToolCallSchema,
  MCPToolSchema,
  MCPTransportTypeSchema,
} from "./schemas.ts";

const ID = "7d444840-9dc0-41d1-b245-5ffdce74fad2";
const AT = "2026-01-31T12:00:00Z";
const HTTP = { id: ID, name: "API", transport: "http", url: "https://example.com/mcp", createdAt: AT, updatedAt: AT };
const CALL = { id: "c", serverId: ID, toolName: "t", arguments: {}, status: "pending", startedAt: AT };

function accepts(schema: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean {
  return schema.safeParse(value).success;
}

describe("RFC-009's schemas", () => {
  it("S1.4 know three transports", () => {
    expect(MCPTransportTypeSchema.options).toEqual(["stdio", "http", "sse"]);
  });

  it("S1.5 S1.6 fill in every default of a server", () => {
    expect(MCPServerConfigSchema.parse(HTTP)).toEqual({
      ...HTTP,
      authentication: { type: "none" },
      timeout: 30_000,
      retryAttempts: 3,
      enabled: true,
    });
  });

  it.each([
    [{ name: "" }, false],
    [{ name: "n".repeat(100) }, true],
    [{ name: "n".repeat(101) }, false],
    [{ id: "1" }, false],
    [{ timeout: 999 }, false],
    [{ timeout: 1_000 }, true],
    [{ timeout: 300_000 }, true],
    [{ timeout: 300_001 }, false],
    [{ retryAttempts: -1 }, false],
    [{ retryAttempts: 0 }, true],
    [{ retryAttempts: 5 }, true],
    [{ retryAttempts: 6 }, false],
    [{ lastConnectedAt: AT }, true],
    [{ lastConnectedAt: "yesterday" }, false],
    [{ updatedAt: "2026-01-31T14:00:00+02:00" }, true],
    [{ createdAt: undefined }, false],
  ])("S1.5 T1.15 limits: %j is accepted: %s", (change, expected) => {
    expect(accepts(MCPServerConfigSchema, { ...HTTP, ...change })).toBe(expected);
  });

  it.each([
    [{ url: undefined }],
    [{ transport: "sse", url: undefined }],
    [{ transport: "stdio" }],
    [{ url: "ftp://example.com" }],
    [{ url: "javascript:alert(1)" }],
    [{ url: "example.com" }],
    [{ transport: "websocket" }],
  ])("T1.11 refuses %j", (change) => {
    expect(accepts(MCPServerConfigSchema, { ...HTTP, ...change })).toBe(false);
  });

  it("S1.6 know four ways to authenticate, with x-api-key as the key's default header", () => {
    const parse = (authentication: unknown) => MCPServerConfigSchema.parse({ ...HTTP, authentication }).authentication;
    expect(parse({ type: "bearer", token: "t" })).toEqual({ type: "bearer", token: "t" });
    expect(parse({ type: "api-key", key: "k" })).toEqual({ type: "api-key", key: "k", header: "x-api-key" });
    expect(parse({ type: "basic", username: "u", password: "p" })).toMatchObject({ type: "basic" });
    expect(accepts(MCPServerConfigSchema, { ...HTTP, authentication: { type: "oauth" } })).toBe(false);
  });

  it("S1.7 describe nested parameters and keep other keywords", () => {
    const property = {
      type: "object",
      properties: { tags: { type: "array", items: { type: "string", enum: ["a"], minLength: 1 }, default: [] } },
      required: ["tags"],
    };
    expect(JSONSchemaPropertySchema.parse(property)).toEqual(property);
    expect(accepts(JSONSchemaPropertySchema, { type: "null" })).toBe(false);
    expect(accepts(JSONSchemaPropertySchema, { type: "array", items: { type: 5 } })).toBe(false);
  });

  it.each([
    ["a_b-1", true],
    ["_a", true],
    ["1a", false],
    ["a.b", false],
    ["", false],
  ])("S1.8 D.13 a tool may be called %j: %s", (name, expected) => {
    expect(accepts(MCPToolSchema, { name, inputSchema: { type: "object" } })).toBe(expected);
  });

  it("T1.5 D.14 keep a tool's schema whole, including lists of types", () => {
    const tool = {
      name: "think",
      inputSchema: { $schema: "x", type: "object", properties: { more: { type: ["boolean", "string"] } }, minimum: 1 },
    };
    expect(MCPToolSchema.parse(tool)).toEqual(tool);
    expect(accepts(MCPToolSchema, { name: "t", inputSchema: { type: "array" } })).toBe(false);
  });

  it("S1.9 S1.10 S1.11 describe what a server offers", () => {
    expect(accepts(MCPResourceSchema, { uri: "u", name: "n", description: "d", mimeType: "m" })).toBe(true);
    expect(accepts(MCPResourceSchema, { uri: "u" })).toBe(false);
    expect(accepts(MCPPromptSchema, { name: "p", arguments: [{ name: "a", required: true }] })).toBe(true);
    expect(MCPServerCapabilitiesSchema.parse({})).toEqual({ tools: [], resources: [], prompts: [] });
  });

  it("S1.12 allow four statuses of a call, which belongs to a server with a UUID", () => {
    for (const status of ["pending", "running", "success", "error"])
      expect(accepts(MCPToolCallSchema, { ...CALL, status })).toBe(true);
    expect(accepts(MCPToolCallSchema, { ...CALL, status: "cancelled" })).toBe(false);
    expect(accepts(MCPToolCallSchema, { ...CALL, serverId: "files" })).toBe(false);
    expect(accepts(MCPToolCallSchema, { ...CALL, completedAt: AT, result: [1], error: "e" })).toBe(true);
  });

  it("S1.13 describe JSON-RPC messages", () => {
    expect(accepts(MCPRequestSchema, { jsonrpc: "2.0", id: 0, method: "m" })).toBe(true);
    expect(accepts(MCPRequestSchema, { jsonrpc: "2.0", method: "m" })).toBe(false);
    expect(accepts(MCPResponseSchema, { jsonrpc: "2.0", id: "a", error: { code: 1, message: "m", data: 2 } })).toBe(
      true,
    );
    expect(accepts(MCPResponseSchema, { jsonrpc: "1.0", id: "a", result: {} })).toBe(false);
  });

  it("S1.33 make a GPT ask before every call by default", () => {
    expect(GPTMCPConfigSchema.parse({})).toEqual({ serverIds: [], toolApproval: "always-ask", trustedTools: [] });
    expect(accepts(GPTMCPConfigSchema, { toolApproval: "trusted-only", serverIds: [ID] })).toBe(true);
    expect(accepts(GPTMCPConfigSchema, { toolApproval: "never" })).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { fromAppRecord } from "./from-app-record.ts";

const ID = "7d444840-9dc0-41d1-b245-5ffdce74fad2";
const TIMES = { createdAt: "2026-01-31T12:00:00Z", updatedAt: "2026-01-31T12:00:00.5+02:00" };
const HTTP = { id: ID, name: "My API", transport: "http", url: "https://example.com/mcp", ...TIMES };

describe("fromAppRecord", () => {
  it("S1.5 gives a record all its defaults; D.12 limits its rate", () => {
    expect(fromAppRecord(HTTP)).toEqual({
      kind: "ok",
      warnings: [],
      definition: {
        scope: "app",
        key: ID,
        name: "My API",
        launch: { transport: "http", url: "https://example.com/mcp", headers: {}, authentication: { type: "none" } },
        protocol: "auto",
        mode: "dynamic",
        defaultToolConfig: {},
        required: false,
        enabled: true,
        retryAttempts: 3,
        timeoutMs: 30_000,
        reconnect: "auto",
        rate: { perMinute: 600, burst: 60 },
        include: "always",
        pin: "warn",
        allow: [],
        deny: [],
        prompts: [],
      },
    });
  });

  it("S1.5 reads every field of a local server", () => {
    const record = {
      id: ID,
      name: "Files",
      description: "d",
      transport: "stdio",
      command: "npx",
      args: ["-y"],
      env: { A: "${HOME}" },
      timeout: 1_000,
      retryAttempts: 0,
      enabled: false,
      lastConnectedAt: "2026-01-31T12:00:00Z",
      ...TIMES,
    };
    expect(fromAppRecord(record)).toMatchObject({
      definition: {
        description: "d",
        launch: { transport: "stdio", command: "npx", args: ["-y"], env: { A: "${HOME}" } },
        timeoutMs: 1_000,
        retryAttempts: 0,
        enabled: false,
      },
    });
  });

  it.each([
    [{ type: "none" }, { type: "none" }],
    [
      { type: "bearer", token: "t" },
      { type: "bearer", token: "t" },
    ],
    [
      { type: "api-key", key: "k" },
      { type: "api-key", key: "k", header: "x-api-key" },
    ],
    [
      { type: "api-key", key: "k", header: "X-K" },
      { type: "api-key", key: "k", header: "X-K" },
    ],
    [
      { type: "basic", username: "ü", password: "p" },
      { type: "basic", username: "ü", password: "p" },
    ],
  ])("S1.6 reads authentication %j", (authentication, expected) => {
    expect(fromAppRecord({ ...HTTP, authentication })).toMatchObject({
      definition: { launch: { authentication: expected } },
    });
  });

  it.each([
    [{ id: "1" }, "id must be a UUID"],
    [{ name: "" }, "name must have 1 to 100 characters and no control characters"],
    [{ name: "n".repeat(101) }, "name must have 1 to 100 characters and no control characters"],
    [{ transport: "ftp" }, "Unknown transport: ftp"],
    [{ transport: undefined }, "transport is missing"],
    [{ url: undefined }, "MCP server 'My API' uses transport 'http' but is missing required field 'url'"],
    [
      { transport: "stdio", url: undefined },
      "MCP server 'My API' uses transport 'stdio' but is missing required field 'command'",
    ],
    [
      { command: "x" },
      "MCP server 'My API' uses transport 'http', which has no 'command'; remove it, or change the transport",
    ],
    [{ url: "ftp://example.com" }, "The url of MCP server 'My API' must start with http:// or https://"],
    [{ url: "javascript:alert(1)" }, "The url of MCP server 'My API' must start with http:// or https://"],
    [
      { url: "https://a:b@example.com" },
      "The url of MCP server 'My API' must not contain a user name or password; use 'authentication' or 'headers'",
    ],
    [
      { url: "http://example.com" },
      "MCP server 'My API' must be reached over https; plain http is for this machine only",
    ],
    [
      { url: "http://example.com", headers: { "X-Key": "k" } },
      "MCP server 'My API' would receive credentials over plain http, where others can read them; use https",
    ],
    [{ timeout: 999 }, "timeout must be a whole number from 1000 to 300000"],
    [{ timeout: 300_001 }, "timeout must be a whole number from 1000 to 300000"],
    [{ retryAttempts: 6 }, "retryAttempts must be a whole number from 0 to 5"],
    [{ createdAt: "yesterday" }, "createdAt must be a date and time such as 2026-01-31T12:00:00Z"],
    [{ authentication: { type: "bearer" } }, "authentication.token is missing"],
    [
      { authentication: { type: "bearer", token: "${secret:X}" } },
      "Stored secrets (${secret:…}) need a vault, and none is open here; enter the value itself",
    ],
    [
      { retries: 1 },
      "Unknown key 'retries'. Known here: id, name, description, transport, command, args, env, url, headers, authentication, timeout, retryAttempts, enabled, lastConnectedAt, createdAt, updatedAt.",
    ],
  ])("T1.11 refuses %j", (change, problem) => {
    expect(fromAppRecord({ ...HTTP, ...change })).toEqual({ kind: "invalid", problems: [problem] });
  });

  it.each([null, undefined, 5, "x", []])("refuses %j, which is not a record", (record) => {
    expect(fromAppRecord(record)).toEqual({
      kind: "invalid",
      problems: ["record must be an object that describes one server"],
    });
  });

  it("S1.48 accepts plain http on this machine", () => {
    expect(fromAppRecord({ ...HTTP, url: "http://localhost:3000/mcp" })).toMatchObject({ kind: "ok", warnings: [] });
  });

  it("S1.47 accepts references to its own and the owner's secrets if a vault is open", () => {
    const authentication = { type: "basic", username: `\${secret:mcp:${ID}:username}`, password: "" };
    const headers = { "X-Key": "${secret:CRM}" };
    expect(fromAppRecord({ ...HTTP, headers, authentication }, { secrets: "allowed" })).toMatchObject({
      kind: "ok",
      definition: { launch: { headers, authentication } },
    });
  });

  it("S1.47 refuses to send one server the secrets of another", () => {
    const authentication = { type: "bearer", token: "${secret:mcp:16fd2706-8baf-433b-82eb-8c7fada847da:token}" };
    expect(fromAppRecord({ ...HTTP, authentication }, { secrets: "allowed" })).toEqual({
      kind: "invalid",
      problems: ["A server may not use another server's credentials; enter the value itself"],
    });
  });
});

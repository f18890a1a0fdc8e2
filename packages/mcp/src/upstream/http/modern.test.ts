import type http from "node:http";
import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Connection } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createStdioConnector } from "../stdio/stdio-connector.ts";
import {
  callOf,
  clientInfo,
  connectionFailure,
  definitionOf,
  neverAborted,
  observe,
  remote,
} from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { type ServedHandler, serveHandler } from "../testing/serve-handler.ts";
import { createHttpConnector } from "./http-connector.ts";
import { createNodeExchange } from "./node/node-exchange.ts";

const connector = createHttpConnector({ exchange: createNodeExchange(), clientInfo });
const open: Connection[] = [];
afterEach(() => Promise.all(open.splice(0).map((connection) => connection.close())));

describe("a modern server over HTTP", () => {
  const seen: http.IncomingHttpHeaders[] = [];
  let aborted = 0;
  let waiting = 0;
  let handler: McpHttpHandler;
  let served: ServedHandler;

  function build(): McpServer {
    const mcp = new McpServer({ name: "modern", version: "3" }, { capabilities: { tools: { listChanged: true } } });
    const inputSchema = z.object({ text: z.string().meta({ "x-mcp-header": "Text" }) });
    mcp.registerTool("echo", { inputSchema }, async ({ text }) => ({ content: [{ type: "text", text }] }));
    mcp.registerTool("wait", {}, async (context) => {
      waiting += 1;
      await new Promise((resolve) => context.mcpReq.signal.addEventListener("abort", resolve));
      aborted += 1;
      return { content: [] };
    });
    return mcp;
  }

  beforeEach(async () => {
    seen.length = 0;
    handler = createMcpHandler(build);
    served = await serveHandler(handler, (request) => seen.push(request.headers));
    return async () => {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
      await served.close();
    };
  });

  async function start(observed = observe()): Promise<Connection> {
    const connection = await connector.open(remote("http", served.url), observed.options, neverAborted());
    open.push(connection);
    return connection;
  }

  async function echoSchema(connection: Connection) {
    const { entries } = await connection.listTools(neverAborted());
    const tool = z
      .array(z.looseObject({ name: z.string(), inputSchema: z.record(z.string(), z.json()) }))
      .parse(entries);
    return tool.find(({ name }) => name === "echo")?.inputSchema ?? {};
  }

  it("is recognised, listed and called with the headers and the envelope of its revision", async () => {
    const connection = await start();
    expect(connection.info).toMatchObject({ name: "modern", era: "modern", protocolVersion: "2026-07-28" });
    const inputSchema = await echoSchema(connection);
    for (const text of ["hello", "grüß Gott", ""]) {
      const call = connection.callTool(callOf("echo", { arguments: { text }, inputSchema }));
      expect((await call.answer).content).toEqual([{ type: "text", text }]);
    }
    const calls = seen.filter((headers) => headers["mcp-method"] === "tools/call");
    expect(calls.map((headers) => headers["mcp-param-text"])).toEqual([
      "hello",
      "=?base64?Z3LDvMOfIEdvdHQ=?=",
      "=?base64??=",
    ]);
    for (const headers of calls) {
      expect(headers).toMatchObject({ "mcp-name": "echo", "mcp-protocol-version": "2026-07-28" });
    }
  });

  it("reports the error a server put into a refusal", async () => {
    const connection = await start();
    const error = await connectionFailure(
      connection.callTool(callOf("echo", { arguments: { text: "unmirrored" } })).answer,
    );
    expect(error.code).toBe("protocol-error");
    expect(error.message).toMatch(/^MCP Error -32020: /);
  });

  it("learns of a cancellation by the end of the stream", async () => {
    const connection = await start();
    const before = [waiting, aborted];
    const controller = new AbortController();
    const call = connection.callTool(callOf("wait", { signal: controller.signal }));
    await eventually(() => expect(waiting).toBe((before[0] ?? 0) + 1));
    controller.abort();
    expect((await connectionFailure(call.answer)).code).toBe("cancelled");
    await call.finished;
    await eventually(() => expect(aborted).toBe((before[1] ?? 0) + 1));
  });

  it("announces changed tools, and is listened to again after the subscription ended", async () => {
    const observed = observe();
    await start(observed);
    await eventually(() => expect(seen.some((headers) => headers["mcp-method"] === "subscriptions/listen")).toBe(true));
    await eventually(() => {
      handler.notify.toolsChanged();
      expect(observed.toolsChanged).toBeGreaterThan(0);
    });
    served.server.closeAllConnections();
    await eventually(() =>
      expect(seen.filter((headers) => headers["mcp-method"] === "subscriptions/listen")).toHaveLength(2),
    );
  });

  it("D.5 is opened even though it was remembered as a legacy one", async () => {
    await served.close();
    served = await serveHandler(createMcpHandler(build, { legacy: "reject" }));
    const connection = await start(observe("legacy"));
    expect(connection.info.era).toBe("modern");
  });
});

describe("a modern server over stdio", () => {
  const source = `
    import { McpServer } from "@modelcontextprotocol/server";
    import { serveStdio } from "@modelcontextprotocol/server/stdio";
    serveStdio(() => {
      const mcp = new McpServer({ name: "modern", version: "3" });
      mcp.registerTool("who", {}, async (context) => ({ content: [{ type: "text", text: JSON.stringify(context.mcpReq.envelope ?? null) }] }));
      return mcp;
    });`;
  const launch = {
    transport: "stdio",
    command: process.execPath,
    args: ["--input-type=module", "-e", source],
    env: {},
    cwd: import.meta.dirname,
  } as const;

  it.each([undefined, "legacy", "modern"] as const)(
    "is called with the envelope when it is remembered as %s",
    async (hint) => {
      const stdio = createStdioConnector({ clientInfo, environment: process.env });
      const connection = await stdio.open(
        definitionOf(launch, hint === undefined ? "modern" : "auto"),
        observe(hint).options,
        neverAborted(),
      );
      open.push(connection);
      expect((await connection.listTools(neverAborted())).entries).toHaveLength(1);
      const { content } = await connection.callTool(callOf("who")).answer;
      if (hint === "legacy") return expect(connection.info.era).toBe("legacy");
      expect(connection.info).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
      expect(content[0]?.text).toContain(`"io.modelcontextprotocol/clientInfo":${JSON.stringify(clientInfo)}`);
    },
  );

  it("D.5 is listened to even if a process of it ended because it was remembered as a legacy one", async () => {
    const endsWhenInitialized = `
      let heard = "";
      process.stdin.on("data", (chunk) => {
        heard += chunk;
        if (heard.includes('"initialize"')) process.exit(1);
      });
      ${source.replace("JSON.stringify(context.mcpReq.envelope ?? null)", "heard")}`;
    const stdio = createStdioConnector({ clientInfo, environment: process.env });
    const args = ["--input-type=module", "-e", endsWhenInitialized];
    const definition = definitionOf({ ...launch, args }, "auto");
    const connection = await stdio.open(definition, observe("legacy").options, neverAborted());
    open.push(connection);
    expect(connection.info.era).toBe("modern");
    await eventually(async () => {
      const { content } = await connection.callTool(callOf("who")).answer;
      expect(content[0]?.text).toContain("subscriptions/listen");
    });
  });
});

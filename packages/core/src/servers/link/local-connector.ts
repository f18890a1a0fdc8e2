import type { ToolResult } from "../../domain/call.ts";
import type { LocalTool } from "../../domain/tool.ts";
import type { JsonObject } from "../../json/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Connection, Connector } from "../../ports/connector.ts";
import { NO_OFFERS } from "./no-offers.ts";

/** Exposes functions of this process as a server, so that local tools take the same path as all others. */
export function createLocalConnector(tools: readonly LocalTool[], clock: Clock): Connector {
  return { transports: ["local"], open: async () => createLocalConnection(tools, clock) };
}

function createLocalConnection(tools: readonly LocalTool[], clock: Clock): Connection {
  return {
    info: {
      name: "local",
      version: "1",
      protocolVersion: "none",
      era: "modern",
      transport: "local",
      capabilities: { tools: {} },
    },
    listTools: async () => ({
      entries: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    }),
    callTool({ name, arguments: args }) {
      const tool = tools.find((candidate) => candidate.name === name);
      return { answer: Promise.resolve(runLocally(tool, args, clock)), finished: Promise.resolve("answered") };
    },
    ...NO_OFFERS,
    close: async () => undefined,
  };
}

function runLocally(tool: LocalTool | undefined, args: JsonObject, clock: Clock): ToolResult {
  try {
    if (tool === undefined) throw new Error("no such local tool");
    return { content: [{ type: "text", text: tool.run(args, new Date(clock.now())) }], isError: false };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: "text", text }], isError: true };
  }
}

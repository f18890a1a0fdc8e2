import {
  type Clock,
  type Connection,
  ConnectionError,
  type Connector,
  type CustomLaunch,
  NO_OFFERS,
  type ServerDefinition,
  systemClock,
} from "@tacklebox/core";
import { createFetchExchange } from "../upstream/http/fetch-exchange.ts";
import type { HttpExchange } from "../upstream/http/http-exchange.ts";
import { createUncutRedactor } from "../upstream/protocol/redact-server-text.ts";
import { createEndpointCaller } from "./call-endpoint.ts";

export interface CustomConnectorOptions {
  /** Built-in fetch when absent. */
  readonly exchange?: HttpExchange;
  /** The system's when absent. */
  readonly clock?: Clock;
}

/** Serves HTTP endpoints as the tools of one server, so that they take the same path as all others (F-304, D.24). */
export function createCustomConnector(parts: CustomConnectorOptions = {}): Connector {
  const { exchange = createFetchExchange(), clock = systemClock } = parts;
  return {
    transports: ["custom"],
    async open(definition, _options, signal) {
      const launch = customLaunch(definition);
      if (signal.aborted) throw new ConnectionError("cancelled", "Connecting was cancelled.");
      return createCustomConnection(definition, launch, exchange, clock);
    },
  };
}

/** Nothing is connected: an endpoint is first reached by its first call. */
function createCustomConnection(
  definition: ServerDefinition,
  { tools }: CustomLaunch,
  exchange: HttpExchange,
  clock: Clock,
): Connection {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const caller = createEndpointCaller({ exchange, clock, redact: createUncutRedactor(definition) });
  return {
    info: {
      name: definition.name,
      version: "1",
      protocolVersion: "none",
      era: "modern",
      transport: "custom",
      capabilities: { tools: {} },
    },
    listTools: async () => ({
      entries: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    }),
    callTool(call) {
      const tool = byName.get(call.name);
      if (tool !== undefined) return caller.call(tool, call);
      const error = new ConnectionError("protocol-error", `There is no custom tool '${call.name}'.`);
      return { answer: Promise.reject(error), finished: Promise.resolve("unknown") };
    },
    ...NO_OFFERS,
    close: caller.close,
  };
}

function customLaunch({ launch }: ServerDefinition): CustomLaunch {
  if (launch.transport === "custom") return launch;
  throw new ConnectionError("misconfigured", `Cannot open "${launch.transport}" here; can open: custom.`);
}

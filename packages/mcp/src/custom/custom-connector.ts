import {
  type Advice,
  type Clock,
  type Connection,
  ConnectionError,
  type Connector,
  type CustomLaunch,
  NO_OFFERS,
  type ServerDefinition,
  systemClock,
} from "@tacklebox/core";
import { requireLaunch } from "../require-launch.ts";
import { createFetchExchange } from "../upstream/http/fetch-exchange.ts";
import type { HttpExchange } from "../upstream/http/http-exchange.ts";
import { createUncutRedactor } from "../upstream/protocol/redact-server-text.ts";
import { createMessageRoom, type MessageRoom } from "../upstream/protocol/room/message-room.ts";
import { createEndpointCaller, type EndpointCallerDeps } from "./call-endpoint.ts";

export interface CustomConnectorOptions {
  /** Defaults to the built-in fetch. */
  readonly exchange?: HttpExchange;
  /** Defaults to the system clock. */
  readonly clock?: Clock;
  /** The command that stores a secret, for messages about a missing sign-in. */
  readonly advice?: Pick<Advice, "storeSecret">;
  /** Shared with the connectors of other transports; of its own if absent. */
  readonly room?: MessageRoom;
}

const TRANSPORTS = ["custom"] as const;

/** Presents HTTP endpoints as the tools of one server, so that their calls take the same path as all others. */
export function createCustomConnector(options: CustomConnectorOptions = {}): Connector {
  const { exchange = createFetchExchange(), clock = systemClock, room = createMessageRoom(), advice } = options;
  const storeSecret = advice?.storeSecret;
  return {
    transports: TRANSPORTS,
    async open(definition, _options, signal) {
      const launch = requireLaunch(definition, TRANSPORTS);
      if (signal.aborted) throw new ConnectionError("cancelled", "Connecting was cancelled.");
      return createCustomConnection(definition, launch, { exchange, clock, room, storeSecret });
    },
  };
}

/** Opens no connection: each endpoint is contacted only when one of its tools is called. */
function createCustomConnection(
  definition: ServerDefinition,
  { tools }: CustomLaunch,
  deps: Omit<EndpointCallerDeps, "redact" | "definition">,
): Connection {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const caller = createEndpointCaller({ ...deps, definition, redact: createUncutRedactor(definition) });
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

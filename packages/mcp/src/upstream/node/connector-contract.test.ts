import { type ConnectorTrial, connectorContract } from "@tacklebox/core/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { createHttpConnector } from "../http-connector.ts";
import { createNodeExchange } from "./node-exchange.ts";
import { createStdioConnector } from "./stdio-connector.ts";
import { clientInfo, definitionOf, remote } from "./testing/definitions.ts";
import { everything, freePort, type HttpReferenceServer, startEverything } from "./testing/reference-servers.ts";

const working = { tool: "echo", arguments: { message: "ahoy" }, text: "Echo: ahoy" };

describe("the stdio connector keeps the connector contract", () => {
  const node = (...args: string[]) =>
    definitionOf({ transport: "stdio", command: process.execPath, args, env: {} } as const);
  const trial = async (): Promise<ConnectorTrial> => ({
    connector: createStdioConnector({ clientInfo, environment: process.env }),
    definition: node(everything),
    working,
    dead: node("-e", "process.exit(1)"),
  });
  for (const { name, run } of connectorContract(trial)) it(name, run);
});

describe.each([
  ["streamableHttp", "streamable-http"],
  ["sse", "sse"],
] as const)("the HTTP connector keeps the connector contract over %s", (mode, transport) => {
  const exchange = createNodeExchange();
  let server: HttpReferenceServer;
  beforeAll(async () => {
    server = await startEverything(mode);
  });
  afterAll(() => {
    server.kill();
    exchange.close();
  });

  const trial = async (): Promise<ConnectorTrial> => ({
    connector: createHttpConnector({ exchange, clientInfo }),
    definition: remote(transport, server.url),
    working,
    dead: remote(transport, `http://127.0.0.1:${await freePort()}/mcp`),
  });
  for (const { name, run } of connectorContract(trial)) it(name, run);
});

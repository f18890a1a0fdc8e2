import { type ConnectorTrial, connectorContract, type OffersTrial } from "@tacklebox/core/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { createHttpConnector } from "../http/http-connector.ts";
import { createNodeExchange } from "../http/node/node-exchange.ts";
import { createStdioConnector } from "../stdio/stdio-connector.ts";
import { clientInfo, definitionOf, remote } from "../testing/definitions.ts";
import { freePort } from "../testing/free-port.ts";
import { everything, type HttpReferenceServer, programOf, startEverything } from "../testing/reference-servers.ts";
import { legacyServer, listen, type ScriptedServer, sendStatus, sseServer } from "../testing/scripted-server.ts";

const working = { tool: "echo", arguments: { message: "ahoy" }, text: "Echo: ahoy" };

const offers: OffersTrial = {
  resource: { uri: "demo://resource/static/document/features.md", text: "Everything Server" },
  template: {
    uriTemplate: "demo://resource/dynamic/blob/{resourceId}",
    bytesUri: "demo://resource/dynamic/blob/1",
  },
  prompt: { name: "args-prompt", arguments: { city: "Lisbon" }, text: "What's weather in Lisbon?" },
  completion: {
    request: {
      target: { kind: "prompt", name: "completable-prompt" },
      argument: "name",
      typed: "A",
      known: { department: "Engineering" },
    },
    values: ["Alice"],
  },
};

describe("the stdio connector keeps the connector contract", () => {
  const node = (...args: string[]) =>
    definitionOf({ transport: "stdio", command: process.execPath, args, env: {} } as const);
  const trial = async (): Promise<ConnectorTrial> => ({
    connector: createStdioConnector({ clientInfo, environment: process.env }),
    definition: node(everything),
    working,
    dead: node("-e", "process.exit(1)"),
    bare: node(programOf("@modelcontextprotocol/server-filesystem", "dist/index.js"), import.meta.dirname),
    offers,
  });
  for (const { name, run } of connectorContract(trial)) it(name, run);
});

describe.each([
  ["streamableHttp", "streamable-http"],
  ["sse", "sse"],
] as const)("the HTTP connector keeps the connector contract over %s", (mode, transport) => {
  const exchange = createNodeExchange();
  let server: HttpReferenceServer;
  let bare: ScriptedServer;
  beforeAll(async () => {
    server = await startEverything(mode);
    bare = await listen(mode === "sse" ? sseServer() : legacyServer((_, response) => sendStatus(response, 500)));
  });
  afterAll(async () => {
    server.kill();
    exchange.close();
    await bare.close();
  });

  const trial = async (): Promise<ConnectorTrial> => ({
    connector: createHttpConnector({ exchange, clientInfo }),
    definition: remote(transport, server.url),
    working,
    dead: remote(transport, `http://127.0.0.1:${await freePort()}/mcp`),
    bare: remote(transport, bare.url),
    offers,
  });
  for (const { name, run } of connectorContract(trial)) it(name, run);
});

import type { Connection, Connector } from "@tacklebox/core";
import { createHttpConnector } from "../http/http-connector.ts";
import { createNodeExchange } from "../http/node/node-exchange.ts";
import { clientInfo } from "./definitions.ts";
import { listen, type RequestHandler, type ScriptedServer } from "./scripted-server.ts";

/** The test runner's hooks. */
export interface Hooks {
  readonly afterEach: (task: () => Promise<void>) => void;
  readonly afterAll: (task: () => void) => void;
}

export interface HttpFixture {
  readonly connector: Connector;
  /** Creates a connector that remembers nothing about any server. */
  newConnector(): Connector;
  /** Connections put here are closed after each test. */
  readonly open: Connection[];
  readonly servers: ScriptedServer[];
  serve(answer: RequestHandler): Promise<ScriptedServer>;
}

/** A connector over node:http for the tests of one file, with cleanup after each test. */
export function createHttpFixture({ afterEach, afterAll }: Hooks): HttpFixture {
  const exchange = createNodeExchange();
  const servers: ScriptedServer[] = [];
  const open: Connection[] = [];
  const newConnector = () => createHttpConnector({ exchange, clientInfo });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((connection) => connection.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  afterAll(() => exchange.close());
  return {
    connector: newConnector(),
    newConnector,
    open,
    servers,
    async serve(answer) {
      const server = await listen(answer);
      servers.push(server);
      return server;
    },
  };
}

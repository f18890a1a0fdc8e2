import type { Connection, Connector } from "@tacklebox/core";
import { createHttpConnector } from "../http/http-connector.ts";
import { createNodeExchange } from "../http/node/node-exchange.ts";
import { clientInfo } from "./definitions.ts";
import { type Answer, type Listening, listen } from "./scripted-server.ts";

/** The test runner's own. */
export interface Hooks {
  readonly afterEach: (task: () => Promise<void>) => void;
  readonly afterAll: (task: () => void) => void;
}

export interface HttpBench {
  readonly connector: Connector;
  /** One that has not spoken to any server yet. */
  newConnector(): Connector;
  /** What is put here is closed after each test. */
  readonly open: Connection[];
  readonly servers: Listening[];
  serve(answer: Answer): Promise<Listening>;
}

/** A connector over node:http for the tests of one file, and the clearing away after them. */
export function createHttpBench({ afterEach, afterAll }: Hooks): HttpBench {
  const exchange = createNodeExchange();
  const servers: Listening[] = [];
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

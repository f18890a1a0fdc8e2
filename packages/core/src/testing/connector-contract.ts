import { ConnectionError } from "../domain/connection.ts";
import { isJsonObject, type JsonObject } from "../domain/json.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Connection, Connector, OpenOptions } from "../ports/connector.ts";
import { assertEqual, assertRejects, assertThat, type ContractCase } from "./contract.ts";

export interface ConnectorTrial {
  readonly connector: Connector;
  readonly definition: ServerDefinition;
  /** A tool of the server that answers, its arguments, and a text its answer contains. */
  readonly working: { readonly tool: string; readonly arguments: JsonObject; readonly text: string };
  /** A definition nothing answers at. */
  readonly dead: ServerDefinition;
}

const QUIET: OpenOptions = { onToolsChanged: () => undefined, onClosed: () => undefined };

/** What every connector promises. Runs against a real server of the connector's transport. */
export function connectorContract(trial: () => Promise<ConnectorTrial>): ContractCase[] {
  const withConnection = async (use: (connection: Connection, trial: ConnectorTrial) => Promise<void>) => {
    const given = await trial();
    const connection = await given.connector.open(given.definition, QUIET, new AbortController().signal);
    try {
      await use(connection, given);
    } finally {
      await connection.close();
    }
  };
  return [
    {
      name: "opens a connection that knows who answered",
      run: () =>
        withConnection(async ({ info }) => {
          assertThat(info.name !== "", "the server's name is known");
          assertThat(info.protocolVersion !== "", "the protocol version is known");
          assertThat(info.era === "legacy" || info.era === "modern", "the era is known");
        }),
    },
    {
      name: "lists every tool as the server sent it",
      run: () =>
        withConnection(async (connection, { working }) => {
          const { entries } = await connection.listTools(new AbortController().signal);
          const names = entries.map((entry) => (isJsonObject(entry) ? entry.name : undefined));
          assertThat(names.includes(working.tool), `the list contains ${working.tool}`);
        }),
    },
    {
      name: "makes a call and gives its answer, then is finished with it",
      run: () =>
        withConnection(async (connection, { working }) => {
          const flight = call(connection, working, new AbortController().signal);
          const result = await flight.answer;
          await flight.finished;
          assertEqual(result.isError, false, "the call succeeded");
          assertThat(JSON.stringify(result.content).includes(working.text), `the answer contains ${working.text}`);
        }),
    },
    {
      name: "keeps many calls at once apart",
      run: () =>
        withConnection(async (connection, { working }) => {
          const flights = Array.from({ length: 20 }, () => call(connection, working, new AbortController().signal));
          const results = await Promise.all(flights.map(({ answer }) => answer));
          assertEqual(results.filter(({ isError }) => isError).length, 0, "calls that failed");
        }),
    },
    {
      name: "rejects a call whose signal is already aborted as cancelled",
      run: () =>
        withConnection(async (connection, { working }) => {
          const flight = call(connection, working, AbortSignal.abort());
          assertEqual(codeOf(await assertRejects(flight.answer, "an aborted call")), "cancelled", "error code");
          await flight.finished;
        }),
    },
    {
      name: "closing twice is one closing, and a call after it never hangs",
      run: () =>
        withConnection(async (connection, { working }) => {
          await Promise.all([connection.close(), connection.close()]);
          const flight = call(connection, working, new AbortController().signal);
          const code = codeOf(await assertRejects(flight.answer, "a call on a closed connection"));
          assertThat(code === "unreachable" || code === "interrupted", `a closed connection says so, not ${code}`);
          await flight.finished;
        }),
    },
    {
      name: "says that nothing answers, as a typed error",
      run: async () => {
        const { connector, dead } = await trial();
        const error = await assertRejects(connector.open(dead, QUIET, AbortSignal.timeout(30_000)), "a dead server");
        assertEqual(codeOf(error), "unreachable", "error code");
      },
    },
    {
      name: "opens nothing when its signal is already aborted",
      run: async () => {
        const { connector, definition } = await trial();
        const error = await assertRejects(connector.open(definition, QUIET, AbortSignal.abort()), "an aborted open");
        assertThat(error instanceof ConnectionError, "the error is typed");
      },
    },
  ];
}

function call(connection: Connection, working: ConnectorTrial["working"], signal: AbortSignal) {
  return connection.callTool({
    name: working.tool,
    arguments: working.arguments,
    inputSchema: { type: "object" },
    signal,
  });
}

function codeOf(error: unknown): string {
  return error instanceof ConnectionError ? error.code : `not a ConnectionError: ${String(error)}`;
}

import { ConnectionError } from "../../domain/connection.ts";
import type { CompletionRequest } from "../../domain/offer.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import { isJsonObject, type JsonObject } from "../../json/json.ts";
import type { Connection, Connector, OpenOptions } from "../../ports/connector.ts";
import { assertEqual, assertRejects, assertThat, type ContractCase } from "./contract.ts";

export interface ConnectorTrial {
  readonly connector: Connector;
  readonly definition: ServerDefinition;
  /** A tool of the server that answers, its arguments, and a text its answer contains. */
  readonly working: { readonly tool: string; readonly arguments: JsonObject; readonly text: string };
  /** A definition of a server that does not exist. */
  readonly dead: ServerDefinition;
  /** A server of the same transport that declares tools and nothing else. */
  readonly bare?: ServerDefinition;
  /** What the server at `definition` offers besides tools, if anything. */
  readonly offers?: OffersTrial;
}

export interface OffersTrial {
  /** A listed resource whose content contains `text`. */
  readonly resource: { readonly uri: string; readonly text: string };
  /** A listed template, and a URI of it whose content is bytes. */
  readonly template: { readonly uriTemplate: string; readonly bytesUri: string };
  /** A listed prompt that contains `text` when filled in with `arguments`. */
  readonly prompt: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, string>>;
    readonly text: string;
  };
  readonly completion: { readonly request: CompletionRequest; readonly values: readonly string[] };
}

const QUIET: OpenOptions = { onToolsChanged: () => undefined, onClosed: () => undefined };

/** What every connector guarantees. Runs against a real server of the connector's transport. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one list of cases, each of which stands by itself
export function connectorContract(trial: () => Promise<ConnectorTrial>): ContractCase[] {
  const withConnection = async (use: (connection: Connection, trial: ConnectorTrial) => Promise<void>) => {
    const given = await trial();
    await lend(given.connector, given.definition, (connection) => use(connection, given));
  };
  const withOffers = (use: (connection: Connection, offers: OffersTrial) => Promise<void>) =>
    withConnection(async (connection, { offers }) => {
      if (offers !== undefined) await use(connection, offers);
    });
  const never = new AbortController().signal;
  return [
    {
      name: "opens a connection that knows the server's name and version",
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
      name: "makes a call, returns its answer, and then reports it as finished",
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
      name: "keeps many concurrent calls apart",
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
      name: "can be closed twice, and a call after that never hangs",
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
      name: "rejects with a typed error if nothing answers",
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
    {
      name: "T1.4 lists nothing and refuses to read if a server declared no resources or prompts",
      run: async () => {
        const { connector, bare } = await trial();
        if (bare === undefined) return;
        await lend(connector, bare, async (connection) => {
          assertEqual(await connection.listResources(never), [], "resources");
          assertEqual(await connection.listResourceTemplates(never), [], "templates");
          assertEqual(await connection.listPrompts(never), [], "prompts");
          const target = { kind: "prompt", name: "p" } as const;
          const refused = await Promise.all([
            assertRejects(connection.readResource("file:///a", never), "reading"),
            assertRejects(connection.getPrompt("p", {}, never), "a prompt"),
            assertRejects(connection.complete({ target, argument: "a", typed: "", known: {} }, never), "completing"),
            assertRejects(connection.subscribeResource("file:///a", never), "subscribing"),
          ]);
          assertEqual(refused.map(codeOf), Array(4).fill("protocol-error"), "error codes");
        });
      },
    },
    {
      name: "S1.9 S1.19 lists resources and templates and reads them, as text and as bytes",
      run: () =>
        withOffers(async (connection, { resource, template }) => {
          const uris = (await connection.listResources(never)).map(({ uri }) => uri);
          assertThat(uris.includes(resource.uri), `the list contains ${resource.uri}`);
          const templates = (await connection.listResourceTemplates(never)).map(({ uriTemplate }) => uriTemplate);
          assertThat(templates.includes(template.uriTemplate), `the list contains ${template.uriTemplate}`);
          const [text] = await connection.readResource(resource.uri, never);
          assertThat(text?.kind === "text" && text.text.includes(resource.text), `it contains ${resource.text}`);
          const [bytes] = await connection.readResource(template.bytesUri, never);
          assertEqual([bytes?.kind, bytes?.uri], ["bytes", template.bytesUri], "a resource of bytes");
        }),
    },
    {
      name: "S1.10 lists prompts, fills one in and completes an argument",
      run: () =>
        withOffers(async (connection, { prompt, completion }) => {
          const names = (await connection.listPrompts(never)).map(({ name }) => name);
          assertThat(names.includes(prompt.name), `the list contains ${prompt.name}`);
          const filled = await connection.getPrompt(prompt.name, prompt.arguments, never);
          assertThat(JSON.stringify(filled.messages).includes(prompt.text), `the prompt contains ${prompt.text}`);
          assertEqual((await connection.complete(completion.request, never)).values, completion.values, "completions");
        }),
    },
    {
      name: "refuses a resource that is not there as a protocol error, and subscribes and unsubscribes",
      run: () =>
        withOffers(async (connection, { resource }) => {
          const error = await assertRejects(connection.readResource("nowhere://at/all", never), "an unknown resource");
          assertEqual(codeOf(error), "protocol-error", "error code");
          await connection.subscribeResource(resource.uri, never);
          await connection.unsubscribeResource(resource.uri, never);
        }),
    },
  ];
}

async function lend(
  connector: Connector,
  definition: ServerDefinition,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await connector.open(definition, QUIET, new AbortController().signal);
  try {
    await use(connection);
  } finally {
    await connection.close();
  }
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

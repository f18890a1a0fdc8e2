import type { ToolResult } from "../domain/call.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { Transport } from "../domain/launch.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { CallFinish, CallInFlight, Connection, Connector, OpenOptions, OutgoingCall } from "../ports/connector.ts";
import { NO_OFFERS } from "../servers/link/no-offers.ts";

export interface ScriptedServer {
  /** Entries of tools/list; change them and call `toolsChanged` to simulate a server whose tools change. */
  tools: unknown[];
  /** Answers a call; the default echoes its arguments as text. Throw a ConnectionError to fail. */
  answer: (call: OutgoingCall) => ToolResult | Promise<ToolResult>;
  /** If set, opening fails with this error. */
  refuse?: ConnectionError;
  /** If set, opening waits for this promise. */
  ready?: Promise<unknown>;
  /** If true, a cancelled call keeps the server busy until its answer settles. */
  ignoresCancel: boolean;
  truncated?: string;
  /** What the server offers besides tools; must be set before it is opened. */
  offers?: Partial<Connection>;
}

export interface ScriptedConnector extends Connector {
  server(key: string): ScriptedServer;
  /** Every call that reached a server, in order. */
  readonly calls: { readonly server: string; readonly name: string; readonly arguments: unknown }[];
  /** The number of open connections. */
  live(): number;
  opened(key: string): number;
  closed(key: string): number;
  toolsChanged(key: string): void;
  /** The options of the newest connection, through which a server notifies us and asks questions. */
  options(key: string): OpenOptions;
  /** Ends the newest connection from the server's side. */
  drop(key: string, cause: string): void;
}

/** Servers that a test controls, behind the real connector port. `nameOf` names them, by default by their keys. */
export function createScriptedConnector(
  transports: readonly Transport[] = ["stdio", "http"],
  nameOf: (definition: ServerDefinition) => string = ({ key }) => key,
): ScriptedConnector {
  const servers = new Map<string, ScriptedServer>();
  const newest = new Map<string, { options: OpenOptions; end: (cause: string) => void }>();
  const live = new Set<Connection>();
  const opened = new Map<string, number>();
  const closed = new Map<string, number>();
  const calls: ScriptedConnector["calls"] = [];

  function server(key: string): ScriptedServer {
    const known = servers.get(key) ?? { tools: [], answer: echo, ignoresCancel: false };
    servers.set(key, known);
    return known;
  }

  function connect(key: string, options: OpenOptions): Connection {
    const inFlight = new Set<(error: ConnectionError) => void>();
    let ended = false;
    const end = (cause: string) => {
      if (ended) return;
      ended = true;
      live.delete(connection);
      for (const interrupt of inFlight) interrupt(new ConnectionError("interrupted", cause));
    };
    newest.set(key, { options, end });
    const connection: Connection = {
      info: {
        name: key,
        version: "1.0.0",
        protocolVersion: "2025-11-25",
        era: "legacy",
        transport: "stdio",
        capabilities: { tools: {} },
      },
      listTools: async () => {
        const { tools, truncated } = server(key);
        return { entries: structuredClone(tools), ...(truncated !== undefined && { truncated }) };
      },
      callTool(call) {
        if (ended)
          return {
            answer: Promise.reject(new ConnectionError("unreachable", "closed")),
            finished: Promise.resolve("unknown"),
          };
        calls.push({ server: key, name: call.name, arguments: call.arguments });
        return sendCall(call, server(key), inFlight);
      },
      ...NO_OFFERS,
      ...server(key).offers,
      async close() {
        if (!ended) closed.set(key, (closed.get(key) ?? 0) + 1);
        end("closed");
      },
    };
    live.add(connection);
    return connection;
  }

  return {
    transports,
    calls,
    server,
    live: () => live.size,
    opened: (key) => opened.get(key) ?? 0,
    closed: (key) => closed.get(key) ?? 0,
    toolsChanged: (key) => newest.get(key)?.options.onToolsChanged(),
    options(key) {
      const connection = newest.get(key);
      if (connection === undefined) throw new Error(`${key} was never opened`);
      return connection.options;
    },
    drop(key, cause) {
      newest.get(key)?.end(cause);
      newest.get(key)?.options.onClosed(cause);
    },
    async open(definition, options, signal) {
      const key = nameOf(definition);
      opened.set(key, (opened.get(key) ?? 0) + 1);
      const { refuse, ready: comesUp } = server(key);
      if (comesUp !== undefined) await Promise.race([comesUp, aborted(signal)]);
      if (refuse !== undefined) throw refuse;
      if (signal.aborted) throw new ConnectionError("cancelled", "cancelled");
      return connect(key, options);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

function sendCall(
  call: OutgoingCall,
  { answer, ignoresCancel }: ScriptedServer,
  inFlight: Set<(error: ConnectionError) => void>,
): CallInFlight {
  let finish: (how: CallFinish) => void = () => undefined;
  const finished = new Promise<CallFinish>((resolve) => {
    finish = resolve;
  });
  const reply = new Promise<ToolResult>((resolve, reject) => {
    const interrupt = (error: ConnectionError) => {
      reject(error);
      finish("unknown");
    };
    inFlight.add(interrupt);
    const cancel = () => {
      reject(new ConnectionError("cancelled", "cancelled"));
      if (!ignoresCancel) finish("unknown");
    };
    call.signal.addEventListener("abort", cancel);
    if (call.signal.aborted) return cancel();
    Promise.resolve()
      .then(() => answer(call))
      .then(resolve, reject)
      .finally(() => {
        inFlight.delete(interrupt);
        finish("answered");
      });
  });
  return { answer: reply, finished };
}

function echo(call: OutgoingCall): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(call.arguments) }], isError: false };
}

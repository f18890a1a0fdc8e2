import {
  ConnectionError,
  type Oddity,
  type OpenOptions,
  type OutgoingCall,
  type RemoteLaunch,
  type ServerDefinition,
  type StdioLaunch,
} from "@tacklebox/core";

export const clientInfo = { name: "tacklebox-test", version: "1.2.3" };

export function definitionOf(
  launch: StdioLaunch | RemoteLaunch,
  protocol: ServerDefinition["protocol"] = "auto",
): ServerDefinition {
  return {
    scope: "app",
    key: "under-test",
    name: "under test",
    launch,
    protocol,
    mode: "dynamic",
    defaultToolConfig: {},
    required: false,
    enabled: true,
    retryAttempts: 0,
    timeoutMs: 20_000,
    reconnect: "never",
    include: "always",
    pin: "warn",
    allow: [],
    deny: [],
    prompts: [],
  };
}

export function remote(
  transport: RemoteLaunch["transport"],
  url: string,
  rest: Partial<Pick<RemoteLaunch, "headers" | "authentication">> = {},
): ServerDefinition {
  return definitionOf({ transport, url, headers: {}, authentication: { type: "none" }, ...rest });
}

/** A definition that runs `script` as an ES module with Node. */
export function script(source: string, env: Record<string, string> = {}): ServerDefinition {
  const args = ["--input-type=module", "-e", source];
  return definitionOf({ transport: "stdio", command: process.execPath, args, env });
}

/** A legacy server in a few lines: `on` maps methods to handlers, which get the message; `send` sends a message. */
export const LEGACY_SCRIPT = `
  import { createInterface } from "node:readline";
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const info = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "script", version: "1" } };
  const on = { initialize: (m) => send({ id: m.id, result: info }), "notifications/initialized": () => {} };
  const unknown = (m) => m.id !== undefined && send({ id: m.id, error: { code: -32601, message: "no " + m.method } });
  createInterface({ input: process.stdin }).on("line", (line) => { const m = JSON.parse(line); (on[m.method] ?? unknown)(m); });
`;

export interface Observed {
  readonly options: OpenOptions;
  readonly closed: string[];
  readonly logs: string[];
  readonly offersChanged: string[];
  readonly updated: string[];
  readonly oddities: Oddity[];
  toolsChanged: number;
}

export function observe(knownEra?: "legacy" | "modern", answers: Pick<OpenOptions, "elicit" | "roots"> = {}): Observed {
  const closed: string[] = [];
  const logs: string[] = [];
  const offersChanged: string[] = [];
  const updated: string[] = [];
  const oddities: Oddity[] = [];
  const observed: Observed = {
    closed,
    logs,
    offersChanged,
    updated,
    oddities,
    toolsChanged: 0,
    options: {
      ...(knownEra === undefined ? {} : { knownEra }),
      onToolsChanged: () => {
        observed.toolsChanged += 1;
      },
      onClosed: (cause) => void closed.push(cause),
      onServerLog: (line) => void logs.push(line),
      onOffersChanged: (what) => void offersChanged.push(what),
      onResourceUpdated: (uri) => void updated.push(uri),
      onOddity: (oddity) => void oddities.push(oddity),
      ...answers,
    },
  };
  return observed;
}

export function callOf(name: string, rest: Partial<OutgoingCall> = {}): OutgoingCall {
  return { name, arguments: {}, inputSchema: {}, signal: new AbortController().signal, ...rest };
}

/** A signal that is never aborted. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** Returns what `work` was rejected with, which must be a ConnectionError. */
export async function connectionFailure(work: Promise<unknown>): Promise<ConnectionError> {
  const error = await work.then(
    () => new Error("succeeded"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectionError)) throw error;
  return error;
}

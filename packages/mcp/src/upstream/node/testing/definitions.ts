import {
  ConnectionError,
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

export interface Observed {
  readonly options: OpenOptions;
  readonly closed: string[];
  readonly logs: string[];
  readonly offersChanged: string[];
  readonly updated: string[];
  toolsChanged: number;
}

export function observe(knownEra?: "legacy" | "modern", answers: Pick<OpenOptions, "elicit" | "roots"> = {}): Observed {
  const closed: string[] = [];
  const logs: string[] = [];
  const offersChanged: string[] = [];
  const updated: string[] = [];
  const observed: Observed = {
    closed,
    logs,
    offersChanged,
    updated,
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
      ...answers,
    },
  };
  return observed;
}

export function callOf(name: string, rest: Partial<OutgoingCall> = {}): OutgoingCall {
  return { name, arguments: {}, inputSchema: {}, signal: new AbortController().signal, ...rest };
}

/** A signal nothing aborts. */
export function calm(): AbortSignal {
  return new AbortController().signal;
}

/** What `work` was rejected with, which must be a ConnectionError. */
export async function failure(work: Promise<unknown>): Promise<ConnectionError> {
  const error = await work.then(
    () => new Error("succeeded"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectionError)) throw error;
  return error;
}

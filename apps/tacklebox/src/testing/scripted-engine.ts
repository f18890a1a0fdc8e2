import type {
  CallOutcome,
  CallRequest,
  Engine,
  EngineEvent,
  EngineHost,
  RegisteredTool,
  RunEvent,
  ServerView,
  StartPlan,
} from "@tacklebox/core";
import { testDefinition } from "@tacklebox/core/testing";
import type { OpenEngine } from "../compose-engine.ts";
import { createEventHub } from "./event-hub.ts";
import { scriptedRuns } from "./scripted-runs.ts";

/** The methods a test replaces, of each part of the engine and of its host. */
export type EngineScript = { readonly [Noun in keyof Engine]?: Partial<Engine[Noun]> } & {
  readonly host?: Partial<Omit<EngineHost, "engine">>;
};

export interface ScriptedEngine {
  readonly engine: Engine;
  readonly open: OpenEngine;
  /** The steps of its life so far: `start`, `stop 0`, `close` … */
  readonly steps: string[];
  /** What each start was to connect. */
  readonly plans: StartPlan[];
  /** Delivers an event to everyone who follows the engine's events. */
  emit(event: EngineEvent): void;
}

const NOTHING = { kind: "failed", failure: { code: "not-found", message: "There is no such server" } } as const;

/** An engine with the methods of the script; every other method behaves as in an empty engine. */
export function createScriptedEngine(script: EngineScript = {}): ScriptedEngine {
  const steps: string[] = [];
  const plans: StartPlan[] = [];
  const { emit, readers: _readers, ...events } = createEventHub();
  const engine = toEngine({ ...script, events: { ...events, ...script.events } });
  const { host = {} } = script;
  const watched: EngineHost = {
    engine,
    async start(signal, plan) {
      steps.push("start");
      if (plan !== undefined) plans.push(plan);
      return (await host.start?.(signal, plan)) ?? { problems: [] };
    },
    async joined() {
      await host.joined?.();
    },
    async stop(drainMs = 0) {
      steps.push(`stop ${drainMs}`);
      await host.stop?.(drainMs);
    },
    reload: async (config) => (await host.reload?.(config)) ?? { changes: [], problems: [] },
    recover: async () => (await host.recover?.()) ?? 0,
  };
  const open: OpenEngine = async () => ({
    kind: "opened",
    host: watched,
    close: async () => void steps.push("close"),
  });
  return { engine, open, steps, plans, emit };
}

function toEngine(script: EngineScript & { readonly events: Engine["events"] }): Engine {
  return {
    servers: { ...noServers, ...script.servers },
    tools: { ...noTools, ...script.tools },
    calls: { ...noCalls, ...script.calls },
    runs: { ...scriptedRuns(endAtOnce), ...script.runs },
    approvals: { list: async () => [], answer: async () => false, ...script.approvals },
    questions: { list: async () => [], answer: async () => false, ...script.questions },
    grants: { list: async () => [], revoke: async () => false, ...script.grants },
    sessions: { ...noSessions, ...script.sessions },
    gpts: { ...noGpts, ...script.gpts },
    models: { list: async () => [], ...script.models },
    secrets: { ...noSecrets, ...script.secrets },
    events: script.events,
  };
}

const noServers: Engine["servers"] = {
  list: async () => [],
  add: async () => undefined,
  remove: async () => false,
  connect: async () => NOTHING,
  disconnect: async () => false,
  offers: async () => [],
  readResource: async () => NOTHING,
  getPrompt: async () => NOTHING,
  complete: async () => NOTHING,
  subscribe: async () => NOTHING,
  unsubscribe: async () => false,
};

const noTools: Engine["tools"] = {
  list: async () => [],
  search: async () => [],
  find: async () => undefined,
  explain: async () => [],
  changed: async () => [],
  trust: async () => [],
};

const noCalls: Engine["calls"] = {
  make: async (request) => succeeded(request, "ok"),
  cancel: async () => false,
  get: async () => undefined,
  list: async () => ({ items: [] }),
};

const noSessions: Engine["sessions"] = {
  open: async () => NOTHING,
  close: async () => false,
  list: async () => ({ items: [] }),
  get: async () => undefined,
  messages: async () => ({ items: [] }),
  remove: async () => false,
  setTool: async () => NOTHING,
};

const noGpts: Engine["gpts"] = {
  list: async () => [],
  save: async (gpt) => ({ kind: "ok", value: gpt }),
  remove: async () => ({ kind: "ok", value: false }),
};

const noSecrets: Engine["secrets"] = {
  list: async () => [],
  put: async () => ({ kind: "ok", value: "stored" }),
  forget: async () => ({ kind: "ok", value: false }),
  check: async () => ({ kind: "ok", value: true }),
  rotate: async () => ({ kind: "ok", value: 0 }),
  redact: async (text) => text,
};

export function succeeded(request: CallRequest, text: string): CallOutcome {
  return {
    callId: "call-1",
    shownName: request.tool,
    ref: { scope: "agent", server: request.server ?? "files", name: request.tool },
    durationMs: 5,
    status: "success",
    result: { content: [{ type: "text", text }], isError: false },
  };
}

export function failed(
  request: CallRequest,
  ending: "denied" | "cancelled" | "timed-out",
  message: string,
): CallOutcome {
  const { callId, shownName, durationMs } = succeeded(request, "");
  return { callId, shownName, durationMs, status: "error", failure: { ending, message } };
}

/** The view of a server named `files`: required and connected, with two tools. */
export function serverView(changes: Partial<ServerView> = {}): ServerView {
  const { launch: _launch, ...definition } = testDefinition("files", { required: true });
  return {
    ...definition,
    status: "connected",
    transport: "stdio",
    address: "files-server",
    oddities: {},
    toolCount: 2,
    quarantined: [],
    nameConflicts: [],
    ...changes,
  };
}

export const readTool: RegisteredTool = {
  ref: { scope: "agent", server: "files", name: "read" },
  shownName: "files_read",
  tool: { name: "read", description: "Reads a file.\nAll of it.", inputSchema: { type: "object" }, raw: {} },
  limits: { maxInstances: 5, timeoutMs: 30_000 },
  configuredBy: "default",
  include: "always",
};

function* endAtOnce(): Generator<RunEvent> {
  yield { type: "run-ended", runId: "run-1", end: { reason: "done" } };
}

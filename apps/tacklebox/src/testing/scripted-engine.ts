import type {
  CallOutcome,
  CallRequest,
  Engine,
  EventListener,
  RegisteredTool,
  RunEvent,
  ServerDefinition,
} from "@tacklebox/core";
import { testDefinition } from "@tacklebox/core/testing";
import type { OpenEngine } from "../open-engine.ts";

export interface ScriptedEngine {
  readonly engine: Engine;
  readonly open: OpenEngine;
  /** What happened, in order: `start`, `stop 0`, `close` … */
  readonly steps: string[];
}

const NOTHING = { kind: "failed", failure: { ending: "unreachable", message: "There is no such server" } } as const;

/** An engine that does what the test says, and everything else as an empty one would. */
export function createScriptedEngine(script: Partial<Engine> = {}): ScriptedEngine {
  const steps: string[] = [];
  const listeners = new Set<EventListener>();
  const engine: Engine = {
    start: async () => ({ problems: [] }),
    stop: async () => undefined,
    listServers: async () => [],
    listTools: async () => [],
    searchTools: async () => [],
    explainTool: async () => [],
    trustTools: async () => [],
    reload: async () => ({ changes: [], problems: [] }),
    addServer: async () => undefined,
    removeServer: async () => false,
    connectServer: async () => NOTHING,
    disconnectServer: async () => false,
    listOffers: async () => [],
    readResource: async () => NOTHING,
    getPrompt: async () => NOTHING,
    complete: async () => NOTHING,
    subscribeResource: async () => NOTHING,
    callTool: async (request) => succeeded(request, "ok"),
    listCalls: async () => [],
    run: () => endAtOnce(),
    listModels: async () => [],
    listApprovals: async () => [],
    answerApproval: async () => false,
    listGrants: async () => [],
    revokeGrant: async () => false,
    openSession: async () => NOTHING,
    closeSession: async () => false,
    listSessions: async () => [],
    loadSession: async () => undefined,
    removeSession: async () => false,
    setSessionTool: async () => NOTHING,
    listGpts: async () => [],
    saveGpt: async (gpt) => ({ kind: "ok", value: gpt }),
    removeGpt: async () => ({ kind: "ok", value: false }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...script,
  };
  const watched: Engine = {
    ...engine,
    start: (signal) => {
      steps.push("start");
      return engine.start(signal);
    },
    stop: (drainMs) => {
      steps.push(`stop ${drainMs}`);
      return engine.stop(drainMs);
    },
  };
  const open: OpenEngine = async () => ({
    kind: "opened",
    engine: watched,
    close: async () => void steps.push("close"),
  });
  return { engine: watched, open, steps };
}

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

export const filesServer: ServerDefinition = testDefinition("files", {
  required: true,
  launch: { transport: "stdio", command: "files-server", args: [], env: {} },
});

export const readTool: RegisteredTool = {
  ref: { scope: "agent", server: "files", name: "read" },
  shownName: "files_read",
  tool: { name: "read", description: "Reads a file.\nAll of it.", inputSchema: { type: "object" }, raw: {} },
  limits: { maxInstances: 5, timeoutMs: 30_000 },
  configuredBy: "default",
  include: "always",
};

async function* endAtOnce(): AsyncGenerator<RunEvent> {
  yield { type: "run-ended", end: { reason: "done" } };
}

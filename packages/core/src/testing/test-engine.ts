import { createEngine } from "../create-engine.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import type { EngineConfig } from "../engine-host.ts";
import { webHasher } from "../platform/web-hasher.ts";
import type { Advice } from "../ports/advice.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Ports } from "../ports/ports.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import { createValidator } from "../validation/create-validator.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { createRecordingLogger } from "./recording-logger.ts";
import { answerApprovals, createScriptedApprover, type ScriptedApprover } from "./scripted-approver.ts";
import { createScriptedConnector } from "./scripted-connector.ts";
import { testSettings } from "./test-definition.ts";

export interface TestEngineOptions {
  readonly servers?: readonly ServerDefinition[];
  readonly toolbox?: Partial<ToolboxSettings>;
  readonly ports?: Partial<Ports>;
  /** Answers the approval requests of attended calls. */
  readonly approver?: ScriptedApprover;
  readonly gpts?: readonly Gpt[];
  readonly source?: string;
}

const TEST_ADVICE: Advice = {
  trust: (server) => `accept ${server}`,
  storeSecret: (name) => `keep ${name}`,
  enable: (server) => `enable ${server}`,
  showServers: "show the servers",
  showTools: (server) => `show the tools of ${server ?? "all"}`,
  repairCallLog: "Make room",
};

/** Creates a real engine with scripted ports. */
export function createTestEngine({
  servers = [],
  toolbox = {},
  ports = {},
  gpts = [],
  ...options
}: TestEngineOptions = {}) {
  const clock = createManualClock();
  const connector = createScriptedConnector();
  const logger = createRecordingLogger();
  const approver = options.approver ?? createScriptedApprover();
  const store = createMemoryStore({ now: clock.now });
  const used: { tool: string; seconds: number }[] = [];
  const endings: string[] = [];
  const metrics: Metrics = {
    toolUsed: (tool, seconds) => void used.push({ tool, seconds }),
    callEnded: (_server, ending) => void endings.push(ending),
  };
  let count = 0;
  const { source } = options;
  const config: EngineConfig = {
    toolbox: testSettings(toolbox),
    servers,
    gpts,
    ...(source !== undefined && { source }),
  };
  const host = createEngine(config, {
    connectors: [connector],
    store,
    validator: createValidator({ clock }),
    hasher: webHasher,
    metrics,
    clock,
    logger,
    knownSecrets: createKnownSecrets(),
    newId: () => {
      count += 1;
      return `call-${count}`;
    },
    advice: TEST_ADVICE,
    ...ports,
  });
  const { engine } = host;
  const stopAnswering = answerApprovals(engine, approver);
  return {
    host,
    engine,
    clock,
    connector,
    logger,
    approver,
    stopAnswering,
    store: ports.store ?? store,
    used,
    endings,
  };
}

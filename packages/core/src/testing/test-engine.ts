import type { EngineConfig } from "../domain/engine.ts";
import { createKnownSecrets } from "../domain/known-secrets.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import { createEngine } from "../engine.ts";
import { inlineValidator } from "../platform/inline-validator.ts";
import { webHasher } from "../platform/web-hasher.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Ports } from "../ports/ports.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createRecordingLogger } from "./recording-logger.ts";
import { createScriptedApprover } from "./scripted-approver.ts";
import { createScriptedConnector } from "./scripted-connector.ts";
import { testSettings } from "./test-definition.ts";

export interface TestEngineOptions {
  readonly servers?: readonly ServerDefinition[];
  readonly toolbox?: Partial<ToolboxSettings>;
  readonly ports?: Partial<Ports>;
}

/** A real engine on scripted ports. */
export function createTestEngine({ servers = [], toolbox = {}, ports = {} }: TestEngineOptions = {}) {
  const clock = createManualClock();
  const connector = createScriptedConnector();
  const logger = createRecordingLogger();
  const approver = createScriptedApprover();
  const store = createMemoryStore({ owner: "test", now: clock.now });
  const used: { tool: string; seconds: number }[] = [];
  const endings: string[] = [];
  const metrics: Metrics = {
    toolUsed: (tool, seconds) => void used.push({ tool, seconds }),
    callEnded: (_server, ending) => void endings.push(ending),
  };
  let count = 0;
  const config: EngineConfig = { toolbox: testSettings(toolbox), servers };
  const engine = createEngine(config, {
    connectors: [connector],
    store,
    approver,
    validator: inlineValidator,
    hasher: webHasher,
    metrics,
    clock,
    logger,
    knownSecrets: createKnownSecrets(),
    newId: () => {
      count += 1;
      return `call-${count}`;
    },
    owner: "test",
    ...ports,
  });
  return { engine, clock, connector, logger, approver, store: ports.store ?? store, used, endings };
}

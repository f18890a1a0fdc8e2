import { type CallStatus, type EngineHost, systemClock } from "@tacklebox/core";
import {
  asksFor,
  createFaultyPorts,
  createScriptedModel,
  createTestEngine,
  type Fault,
  says,
  scriptedModels,
  testDefinition,
} from "@tacklebox/core/testing";
import type { OpenEngine } from "../compose-engine.ts";

/** What is left of a call when its door has let go of the engine. */
export interface Left {
  /** The states of its rows in the call log. */
  readonly rows: readonly CallStatus[];
  /** How a later call ends, which needs the only slot there is. */
  readonly later: string;
  /** Approvals that nobody can answer any more. */
  readonly open: number;
}

/** Waiting for a slot that nobody gives back ends after this. */
const MAX_WAIT_MS = 50;

/**
 * A real engine with one slot, one server `s` with one tool `echo`, and a model that calls it once. Its ports throw as
 * the fault says, from the moment it has started for a door that makes calls itself, and from the model's call on for
 * one that works prompts.
 */
export function createThrowingEngine(fault: Fault, from: "start" | "model") {
  const faulty = createFaultyPorts(systemClock);
  faulty.connector.server("s").tools = [{ name: "echo", inputSchema: { type: "object" } }];
  const model = createScriptedModel([
    () => {
      faulty.arm(fault);
      return asksFor({ id: "1", tool: "echo", arguments: { message: "hi" } });
    },
    () => {
      faulty.disarm();
      return says("The model goes on.");
    },
  ]);
  const { host, stopAnswering } = createTestEngine({
    servers: [testDefinition("s")],
    toolbox: { maxConcurrent: 1, maxWaitMs: MAX_WAIT_MS },
    ports: { ...faulty.ports, models: scriptedModels(model) },
  });
  // The door under test asks people itself.
  stopAnswering();
  let left: Left | undefined;

  async function look(): Promise<Left> {
    faulty.disarm();
    const records = await faulty.store.calls.list({ limit: 10 });
    const later = await host.engine.calls.make({ tool: "echo", arguments: {} });
    return {
      rows: records.map(({ status }) => status),
      later: later.status === "success" ? "success" : later.failure.message,
      open: (await host.engine.approvals.list()).length,
    };
  }

  const watched: EngineHost = {
    ...host,
    async start(signal, plan) {
      const started = await host.start(signal, plan);
      await host.joined();
      if (from === "start") faulty.arm(fault);
      return started;
    },
    async stop(drainMs) {
      left = await look();
      await host.stop(drainMs);
    },
  };
  const open: OpenEngine = async () => ({ kind: "opened", host: watched, close: async () => undefined });
  return { open, used: faulty.used, left: () => left };
}

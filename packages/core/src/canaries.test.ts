import { describe, expect, it } from "vitest";
import type { EngineConfig } from "./engine-host.ts";
import type { Ports } from "./ports/ports.ts";
import { StoreError } from "./ports/store-error.ts";
import { canaryForms, createCanaries, findCanaries, pick } from "./testing/canaries/canaries.ts";
import { createCanaryConfig } from "./testing/canaries/canary-config.ts";
import { useEverything } from "./testing/canaries/canary-journey.ts";
import { createCanaryTurns } from "./testing/canaries/canary-turns.ts";
import { createLeakyConnector } from "./testing/canaries/leaky-connector.ts";
import {
  createMemoryStore,
  createRandom,
  createScriptedModel,
  createTestEngine,
  scriptedModels,
  testDefinition,
  testSettings,
} from "./testing/index.ts";
import { type Observation, watchEngine } from "./testing/watched-engine.ts";

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
/** A small budget: not every tool fits into a request, so some have to be searched for. */
const SEARCH = { topK: 4, topN: 2, includeScore: 0.9, budgetTokens: 2_000 };
const TOOLBOX = { collisions: "qualify", search: SEARCH } as const;

/** Runs an engine between people, models and servers that all repeat secrets, and records everything it returns. */
async function exerciseEngine(seed: number, ports: Partial<Ports> = {}) {
  const random = createRandom(seed);
  const canaries = createCanaries(random);
  const config = createCanaryConfig(canaries);
  const connector = createLeakyConnector(() => canaries.all, random);
  const typed: string[] = [];
  const type = () => {
    const text = `my secret is ${pick(random, canaries.all)}, and ${pick(random, canaries.all)}.`;
    typed.push(text);
    return text;
  };
  const { failing, cutOff, endless, broken } = createCanaryTurns(canaries, random);
  const model = createScriptedModel([...failing, ...cutOff, endless, broken], {
    source: `the config file, with ${config.models[0]?.apiKey}`,
  });
  const { vault, gpt, servers, models } = config;
  const { host, clock, ...test } = createTestEngine({
    servers,
    toolbox: TOOLBOX,
    gpts: [gpt],
    ports: { connectors: [connector], vault, models: scriptedModels(model), answersQuestions: true, ...ports },
  });
  test.stopAnswering();
  const { engine, observed, unused } = watchEngine(test.engine);
  const hosted: Observation[] = [];

  const events = readAll(engine.events.follow());
  hosted.push({ method: "host.start", value: await host.start() });
  for (const [name, value] of Object.entries(config.typed)) await engine.secrets.put(name, value);
  const settings: EngineConfig = { toolbox: testSettings(TOOLBOX), gpts: [gpt], models, servers };
  hosted.push({
    method: "host.reload",
    value: await host.reload({ ...settings, servers: [...servers, ...config.reloaded] }),
  });
  await useEverything({ engine, connector, config, clock, typed: type });
  await host.stop(0);
  await events.end();
  return {
    observed: [...observed, ...hosted],
    unused: unused(),
    canaries: canaries.all,
    connector,
    typed,
    events: events.seen,
  };
}

/** Reads all values until `end` is called. */
function readAll<T>(values: AsyncIterable<T>) {
  const reader = values[Symbol.asyncIterator]();
  const seen: T[] = [];
  const reading = (async () => {
    for (let step = await reader.next(); step.done !== true; step = await reader.next()) seen.push(step.value);
  })();
  return {
    seen,
    async end() {
      await reader.return?.();
      await reading;
    },
  };
}

/** Where canaries leaked, one line per place. */
function leaksIn(observed: readonly Observation[]): readonly string[] {
  const leaks = new Map<string, string>();
  for (const { method, value } of observed)
    for (const found of findCanaries(value)) {
      const line = `${method} ${found}`;
      const [place = ""] = line.split(": ", 1);
      if (!leaks.has(place)) leaks.set(place, line);
    }
  return [...leaks.values()];
}

/** Methods that return canaries if nothing is redacted. All others answer with a boolean, a number or an id. */
const LEAKING_METHODS = [
  "approvals.list",
  "calls.get",
  "calls.list",
  "calls.make",
  "events.follow",
  "gpts.list",
  "gpts.save",
  "grants.list",
  "host.reload",
  "host.start",
  "models.list",
  "questions.list",
  "runs.events",
  "secrets.check",
  "secrets.redact",
  "servers.complete",
  "servers.connect",
  "servers.getPrompt",
  "servers.list",
  "servers.offers",
  "servers.readResource",
  "servers.subscribe",
  "sessions.get",
  "sessions.list",
  "sessions.messages",
  "sessions.open",
  "sessions.setTool",
  "tools.changed",
  "tools.explain",
  "tools.find",
  "tools.list",
  "tools.search",
];

it("an error of the store that quotes a secret is redacted", async () => {
  const canary = createCanaries(createRandom(1)).take("unicode");
  const store = createMemoryStore();
  const calls = { ...store.calls, save: () => Promise.reject(new StoreError("write-failed", `No room for ${canary}`)) };
  const env = { API_TOKEN: canary };
  const launch = { transport: "stdio", command: "s", args: [], env } as const;
  const { host, engine, connector } = createTestEngine({
    servers: [testDefinition("s", { launch })],
    ports: { store: { ...store, calls } },
  });
  connector.server("s").tools = [{ name: "tell" }];
  await host.start();
  const outcome = await engine.calls.make({ tool: "tell", arguments: {} });
  expect(outcome.status === "error" && outcome.failure.message).toContain("No room for [redacted]");
});

describe("S1.48 50 canaries in env, arguments, headers, URLs, models and the vault", () => {
  it.each(SEEDS)("are in no value that any method or event returns (seed %i)", async (seed) => {
    const { observed, unused, canaries, connector, events } = await exerciseEngine(seed);
    expect(canaries.length).toBeGreaterThanOrEqual(50);
    expect(unused).toEqual([]);
    expect(connector.live()).toBe(0);
    expect(events.map(({ event }) => event.type)).not.toContain("gap");
    expect(leaksIn(observed)).toEqual([]);
  });

  it("all reach the engine, from servers or from what people type", async () => {
    const { canaries, connector, typed } = await exerciseEngine(1);
    expect(leaksIn([{ method: "servers", value: connector.leaked }])).not.toEqual([]);
    const raw = [...connector.leaked, ...typed].join("\n");
    expect(canaries.filter((canary) => !raw.includes(canary))).toEqual([]);
  });

  it("leak from every listed method if nothing is redacted", async () => {
    const redact = Object.assign((text: string) => text, { idle: true });
    const { observed } = await exerciseEngine(1, {
      knownSecrets: { add: () => undefined, holderOf: () => undefined, redact, version: () => 0 },
    });
    const methods = observed.flatMap(({ method, value }) => (findCanaries(value).length > 0 ? [method] : []));
    expect([...new Set(methods)].sort()).toEqual(LEAKING_METHODS);
  });

  it("are found in every form, in parts, and as keys", () => {
    const canaries = createCanaries(createRandom(1));
    for (const kind of ["alphanumeric", "unicode", "any"] as const) {
      const canary = canaries.take(kind);
      for (const form of canaryForms(canary)) expect(findCanaries([{ [`a ${form}`]: 1 }])).toHaveLength(1);
      expect(findCanaries({ a: canary.slice(0, 10), b: [canary.slice(-10)] })).toHaveLength(2);
    }
    expect(findCanaries({ a: ["canary", 1, null], b: undefined })).toEqual([]);
  });
});

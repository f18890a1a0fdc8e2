import { describe, expect, it } from "vitest";
import type { EngineConfig } from "./engine-host.ts";
import type { Ports } from "./ports/ports.ts";
import { StoreError } from "./ports/store-error.ts";
import { canaryForms, createCanaries, findCanaries, pick } from "./testing/canaries/canaries.ts";
import { createCanaryConfig } from "./testing/canaries/canary-config.ts";
import { askForEverything } from "./testing/canaries/canary-journey.ts";
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
import { type ObservedEngine, watchEngine } from "./testing/watched-engine.ts";

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
/** Not every tool fits into a request, so that some have to be searched for. */
const SEARCH = { topK: 4, topN: 2, includeScore: 0.9, budgetTokens: 2_000 };
const TOOLBOX = { collisions: "qualify", search: SEARCH } as const;

/** Puts an engine between people, models and servers that all repeat secrets, and keeps all that leaves it. */
async function travel(seed: number, ports: Partial<Ports> = {}) {
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
  const { engine, told, unasked } = watchEngine(test.engine);
  const hosted: ObservedEngine[] = [];

  const events = readAll(engine.events.follow());
  hosted.push({ member: "host.start", value: await host.start() });
  for (const [name, value] of Object.entries(config.typed)) await engine.secrets.put(name, value);
  const settings: EngineConfig = { toolbox: testSettings(TOOLBOX), gpts: [gpt], models, servers };
  hosted.push({
    member: "host.reload",
    value: await host.reload({ ...settings, servers: [...servers, ...config.reloaded] }),
  });
  await askForEverything({ engine, connector, config, clock, typed: type });
  await host.stop(0);
  await events.end();
  return {
    told: [...told, ...hosted],
    unasked: unasked(),
    canaries: canaries.all,
    connector,
    typed,
    events: events.seen,
  };
}

/** Reads whatever comes until it is told to stop. */
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

/** Where canaries are, one line for each place. */
function leaksIn(told: readonly ObservedEngine[]): readonly string[] {
  const leaks = new Map<string, string>();
  for (const { member, value } of told)
    for (const found of findCanaries(value)) {
      const line = `${member} ${found}`;
      const [place = ""] = line.split(": ", 1);
      if (!leaks.has(place)) leaks.set(place, line);
    }
  return [...leaks.values()];
}

/** Through which canaries come where nothing is struck out. All others answer with yes, no, a number or an id. */
const TALKATIVE = [
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
  "tools.explain",
  "tools.list",
  "tools.search",
];

it("a store that fails may say what it was given, and nobody hears it", async () => {
  const canary = createCanaries(createRandom(1)).take("wild");
  const store = createMemoryStore({ owner: "test", now: () => 0 });
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
  it.each(SEEDS)("are in nothing that any member or event gives out (seed %i)", async (seed) => {
    const { told, unasked, canaries, connector, events } = await travel(seed);
    expect(canaries.length).toBeGreaterThanOrEqual(50);
    expect(unasked).toEqual([]);
    expect(connector.live()).toBe(0);
    expect(events.map(({ event }) => event.type)).not.toContain("gap");
    expect(leaksIn(told)).toEqual([]);
  });

  it("are all said to the engine, by servers or by whoever types", async () => {
    const { canaries, connector, typed } = await travel(1);
    expect(leaksIn([{ member: "servers", value: connector.spilled }])).not.toEqual([]);
    const raw = [...connector.spilled, ...typed].join("\n");
    expect(canaries.filter((canary) => !raw.includes(canary))).toEqual([]);
  });

  it("are everywhere where nothing is struck out", async () => {
    const redact = Object.assign((text: string) => text, { idle: true });
    const { told } = await travel(1, { knownSecrets: { add: () => undefined, redact, version: () => 0 } });
    const members = told.flatMap(({ member, value }) => (findCanaries(value).length > 0 ? [member] : []));
    expect([...new Set(members)].sort()).toEqual(TALKATIVE);
  });

  it("are found in every form, also as a part, and as a key", () => {
    const canaries = createCanaries(createRandom(1));
    for (const kind of ["calm", "wild", "loose"] as const) {
      const canary = canaries.take(kind);
      for (const form of canaryForms(canary)) expect(findCanaries([{ [`a ${form}`]: 1 }])).toHaveLength(1);
      expect(findCanaries({ a: canary.slice(0, 10), b: [canary.slice(-10)] })).toHaveLength(2);
    }
    expect(findCanaries({ a: ["canary", 1, null], b: undefined })).toEqual([]);
  });
});

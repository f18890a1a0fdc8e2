import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ApprovalRequest,
  type Authentication,
  createEngine,
  createKnownSecrets,
  createRemoteEngine,
  createValidator,
  type Engine,
  type EngineConfig,
  type KnownSecrets,
  type Launch,
  type RunRequest,
  type ServerDefinition,
  serveEngine,
  systemClock,
  webHasher,
} from "@tacklebox/core";
import {
  allAlive,
  type Canaries,
  createCanaries,
  createRandom,
  findCanaries,
  pick,
  testDefinition,
  testMember,
  testSettings,
  waitUntil,
  watchEngine,
} from "@tacklebox/core/testing";
import { createHttpConnector } from "@tacklebox/mcp";
import { createCustomConnector } from "@tacklebox/mcp/custom";
import { createStdioConnector } from "@tacklebox/mcp/node";
import { createNodeExchange } from "@tacklebox/mcp/node-exchange";
import { createModels } from "@tacklebox/models";
import { openSqliteStore } from "@tacklebox/storage/sqlite";
import { createMemoryKeyRing, createVault } from "@tacklebox/storage/vault";
import { expect, it } from "vitest";
import { releaseAfterwards } from "../support/release.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startLeakyHttp } from "./leaky-http.ts";

const LEAKY = fileURLToPath(new URL("../dist/fixtures/leaky.mjs", import.meta.url));
const ATTENDED = { attended: true, caller: { door: "chat" } } as const;
const WITHIN = { sessionId: "brought" };

interface LeakyConfig {
  readonly config: EngineConfig;
  readonly added: ServerDefinition;
  readonly brought: readonly ServerDefinition[];
  readonly reloaded: EngineConfig;
  /** The secrets in the vault, by name. */
  readonly kept: ReadonlyMap<string, string>;
}

function createLeakyConfig({ take }: Canaries, origin: string): LeakyConfig {
  const kept = new Map<string, string>();
  const keep = () => {
    const name = `NAME_${kept.size + 1}`;
    kept.set(name, take("ascii"));
    return `\${secret:${name}}`;
  };
  const server = (key: string, launch: Launch) => testDefinition(key, { launch, reconnect: "never" });
  const program = (env: Readonly<Record<string, string>>, ...args: readonly string[]): Launch => ({
    transport: "stdio",
    command: process.execPath,
    args: [LEAKY, ...args],
    env,
  });
  const remote = (path: string, authentication: Authentication = { type: "none" }): Launch => ({
    transport: "streamable-http",
    url: `${origin}${path}?api_key=${encodeURIComponent(take("unicode"))}&sig=${keep()}`,
    headers: { "X-Api-Key": take("ascii"), "X-Anything": keep(), Cookie: `theme=dark; sid=${take()}` },
    authentication,
  });
  const servers = [
    server(
      "process",
      program(
        {
          API_TOKEN: take("unicode"),
          DATABASE_URL: `postgres://me:${encodeURIComponent(take("unicode"))}@db.example/shop`,
          ANYTHING: keep(),
          CONNECTION: `Server=db;User Id=sa;Password=${take()};Encrypt=true`,
          STORAGE: `AccountName=shop;AccountKey=${take()};EndpointSuffix=core`,
          HEADERS: JSON.stringify({ Authorization: `Bearer ${take()}` }),
        },
        "--header",
        `Authorization: Bearer ${take("ascii")}`,
        `-HX-Anything: ${take("ascii")}`,
        `exec serve --password ${take()}`,
        `--token=${take("unicode")}`,
        "--api-key",
        take("unicode"),
        `redis://:${take()}@cache.example`,
        keep(),
      ),
    ),
    server("dying", program({ PASSWORD: take("unicode") }, "--die", `--secret=${keep()}`)),
    server("bearer", remote("/mcp", { type: "bearer", token: take("ascii") })),
    server("keyed", remote("/mcp", { type: "api-key", header: "X-Key", key: keep() })),
    server("basic", remote("/mcp", { type: "basic", username: take(), password: take("unicode") })),
    server("headed", {
      transport: "http",
      url: `${origin}/mcp`,
      headers: { Authorization: `Bearer ${take("ascii")}` },
      authentication: { type: "none" },
    }),
    server("denied", remote("/denied")),
    { ...server("broken", remote("/broken")), required: true },
    server("custom", {
      transport: "custom",
      tools: ["/tool", "/broken", "/denied"].map((path) => ({
        name: path.slice(1),
        description: "An endpoint",
        inputSchema: { type: "object" },
        url: `${origin}${path}?token=${take()}`,
        headers: { "X-Custom-Key": keep() },
        authentication: { type: "bearer", token: take("ascii") },
      })),
    }),
  ];
  const config: EngineConfig = { toolbox: testSettings({ collisions: "qualify" }), servers };
  return {
    kept,
    config,
    added: server("added", remote("/mcp")),
    brought: [server("own", program({ OWN_TOKEN: take("unicode"), OTHER: keep() })), server("near", remote("/mcp"))],
    reloaded: {
      ...config,
      servers: [...servers, server("fresh", program({ FRESH_KEY: take("unicode") }))],
      models: [
        {
          name: "leaky",
          vendor: "openai-compatible",
          modelId: "leaky",
          apiKey: take("ascii"),
          baseUrl: `${origin}/v1`,
          headers: { "X-Model-Key": take("ascii") },
          isDefault: true,
          source: "test",
        },
      ],
    },
  };
}

/** Opens an engine with real adapters, except for the key of its vault. */
async function openHost(config: EngineConfig, knownSecrets: KnownSecrets) {
  const folder = await temporaryFolder();
  const file = join(folder, "tacklebox.db");
  const store = await openSqliteStore({ file, member: testMember(), processes: allAlive, now: Date.now });
  const vault = createVault({ records: store.secrets, keys: createMemoryKeyRing(), now: Date.now });
  const clientInfo = { name: "tacklebox-test", version: "1.0.0" };
  const exchange = createNodeExchange();
  const validator = createValidator({ clock: systemClock });
  const host = createEngine(config, {
    connectors: [
      createStdioConnector({ clientInfo, environment: process.env }),
      createHttpConnector({ exchange, clientInfo }),
      createCustomConnector({ exchange }),
    ],
    store,
    vault,
    models: createModels({ definitions: [], resolveSecret: async (text) => text }),
    answersQuestions: true,
    validator,
    hasher: webHasher,
    metrics: { toolUsed: () => undefined, callEnded: () => undefined },
    clock: systemClock,
    logger: { log: () => undefined },
    knownSecrets,
    newId: () => crypto.randomUUID(),
  });
  releaseAfterwards(async () => {
    await host.stop(0);
    exchange.close();
    validator.close();
    await store.close();
  });
  return { host, vault };
}

/** Connects to the engine through a channel. `texts` is everything the engine's side sent. */
function connectRemote(engine: Engine) {
  const texts: string[] = [];
  let toHost: (text: string) => void = () => undefined;
  let toDoor: (text: string) => void = () => undefined;
  const end = serveEngine(engine, {
    send(text) {
      texts.push(text);
      queueMicrotask(() => toDoor(text));
    },
    receive(listener) {
      toHost = listener;
    },
  });
  const { engine: far } = createRemoteEngine({
    send: (text) => queueMicrotask(() => toHost(text)),
    receive(listener) {
      toDoor = listener;
    },
  });
  return { far, texts, end };
}

/** Calls every method of an engine across the channel. */
async function exerciseEngine(knownSecrets: KnownSecrets) {
  const random = createRandom(15);
  const canaries = createCanaries(random);
  const { origin, received } = await startLeakyHttp();
  const { config, reloaded, added, brought, kept } = createLeakyConfig(canaries, origin);
  const typed = () => `my secret is ${pick(random, canaries.all)}, and ${pick(random, canaries.all)}.`;
  const { host, vault } = await openHost(config, knownSecrets);
  for (const [name, value] of kept) await vault.put(name, value);
  const { far, texts, end } = connectRemote(host.engine);
  const { engine, unused } = watchEngine(far);
  const following = follow(engine);
  const reports = [await host.start()];
  await engine.secrets.put("TYPED", canaries.take("any"));
  reports.push(await host.reload(reloaded));
  await engine.sessions.open({ servers: brought, wantedId: WITHIN.sessionId, title: JSON.stringify(brought) });
  await waitUntil(async () => (await engine.servers.list(WITHIN)).every(({ status }) => status !== "connecting"));
  await engine.servers.add(added);
  await exerciseServers(engine, typed);
  await exerciseCalls(engine, typed);
  await exerciseApprovals(engine, typed);
  await exerciseRuns(engine, typed);
  await exerciseCleanUp(engine, typed);
  await host.stop(0);
  end();
  await following;
  return { texts, reports, unused: unused(), canaries: canaries.all, received };
}

async function follow({ events }: Engine): Promise<void> {
  for await (const _event of events.follow());
}

async function exerciseServers({ servers, tools }: Engine, typed: () => string): Promise<void> {
  for (const key of ["added", "dying", "denied", "broken", typed()]) await servers.connect(key);
  await servers.list();
  for (const key of ["process", "bearer", "custom"]) await servers.offers(key);
  for (const key of ["process", "basic"]) {
    for (const uri of ["x://one", "x://two"]) await servers.readResource(key, uri);
    for (const name of ["one", "two"]) await servers.getPrompt(key, name, { a: typed() });
    const target = { kind: "prompt", name: "one" } as const;
    await servers.complete(key, { target, argument: "a", typed: typed(), known: {} });
  }
  await servers.subscribe("process", "x://two");
  const subscribed = await servers.subscribe("process", "x://one");
  if (subscribed.kind === "ok") await servers.unsubscribe(subscribed.value.id);
  await tools.list();
  await tools.list(WITHIN);
  await tools.search("the tell tool");
  await tools.search(typed());
  for (const name of ["tell", "elsewhere", typed()]) {
    await tools.explain(name);
    await tools.find(name);
  }
  await tools.trust("process", await tools.changed("process"));
}

async function exerciseCalls({ calls, servers }: Engine, typed: () => string): Promise<void> {
  for (const server of ["process", "bearer", "keyed", "basic", "headed", "added", "fresh"])
    for (const tool of ["tell", "fail", "refuse", "steps"])
      await calls.make({ tool, server, arguments: { text: typed() } }, ATTENDED);
  for (const tool of ["tool", "broken", "denied"])
    await calls.make({ tool, server: "custom", arguments: { text: typed() } }, ATTENDED);
  for (const server of ["own", "near"])
    await calls.make({ tool: "tell", server, arguments: { text: typed() } }, { ...ATTENDED, ...WITHIN });
  for (const server of ["dying", typed()]) await calls.make({ tool: "tell", server, arguments: { text: typed() } });
  await calls.make({ tool: "tell", server: "process", arguments: { text: 1, among: typed() } });
  const hanging = calls.make({ tool: "hang", server: "process", arguments: { text: typed() }, id: "hanging" });
  await waitUntil(async () => (await calls.get("hanging"))?.status === "running");
  await calls.cancel("hanging");
  await hanging;
  await calls.make({ tool: "die", server: "fresh", arguments: { text: typed() } }, ATTENDED);
  await servers.list();
  await calls.list({ limit: 1_000 });
}

async function exerciseApprovals({ calls, approvals, questions, grants }: Engine, typed: () => string): Promise<void> {
  const guarded = { tool: "tell", server: "process", arguments: { text: typed() } };
  const asking = { ...ATTENDED, approvalMode: "always-ask" } as const;
  const denied = calls.make(guarded, asking);
  const first = await firstOf(approvals.list);
  await approvals.answer(first.callId, { kind: "deny", reason: typed() });
  await denied;
  const allowed = calls.make(guarded, asking);
  const second = await firstOf<ApprovalRequest>(approvals.list);
  const { argumentsDigest, fingerprint } = second;
  await approvals.answer(second.callId, { kind: "allow", argumentsDigest, fingerprint, lasting: "always" });
  await allowed;
  for (const { id } of await grants.list()) await grants.revoke(id);
  const asked = calls.make({ tool: "ask", server: "process", arguments: {} }, ATTENDED);
  const question = await firstOf(questions.list);
  await questions.answer(question.id, { kind: "accept", content: { login: typed() } });
  await asked;
}

async function firstOf<T>(list: () => Promise<readonly T[]>): Promise<T> {
  for (;;) {
    const [first] = await list();
    if (first !== undefined) return first;
    await waitUntil(async () => (await list()).length > 0);
  }
}

async function exerciseRuns({ runs, gpts, models }: Engine, typed: () => string): Promise<void> {
  const run = async (text: string, more: Partial<RunRequest> = {}) => {
    const id = await runs.start(
      { prompt: [{ type: "text", text }], maxRounds: 2, ...more },
      { ...ATTENDED, showsDefinitions: true },
    );
    await runs.confirmShown(id);
    await runs.setApprovalMode(id, "auto");
    for await (const _event of runs.events(id));
    return id;
  };
  const gpt = { key: "saved", name: "Saved", tools: {}, approval: "auto", trustedTools: [] } as const;
  await gpts.save({ ...gpt, instructions: typed() });
  await gpts.list();
  await models.list();
  await run(typed(), { gpt: gpt.key });
  await run(typed(), WITHIN);
  await run(`fail, please: ${typed()}`);
  const over = await run(typed(), { model: typed() });
  await runs.cancel(over);
  await runs.list();
  await gpts.remove(gpt.key);
}

async function exerciseCleanUp({ sessions, secrets, servers, events }: Engine, typed: () => string): Promise<void> {
  for (const { id } of (await sessions.list({ limit: 100 })).items) {
    await sessions.get(id);
    await sessions.messages(id);
  }
  await sessions.setTool(WITHIN.sessionId, "own:tell", "in");
  await sessions.setTool(WITHIN.sessionId, typed(), "in");
  await sessions.close(WITHIN.sessionId);
  await sessions.remove(WITHIN.sessionId);
  await secrets.list();
  await secrets.rotate();
  for (const name of ["TYPED", "NAME_1", "NOBODY"]) await secrets.check(name);
  await secrets.forget("TYPED");
  await secrets.redact(typed());
  await servers.disconnect("process");
  await servers.remove("agent", "added");
  await events.last();
}

it("S1.48 T30 no text that an engine sends holds any of the secrets that servers, models and people repeat to it", async () => {
  const { texts, reports, unused, canaries, received } = await exerciseEngine(createKnownSecrets());
  expect(canaries.length).toBeGreaterThanOrEqual(50);
  expect(unused).toEqual([]);
  expect(reports.map(({ problems }) => problems.length)).toEqual([1, 0]);
  expect(findCanaries(received)).not.toEqual([]);
  const leaks = [...texts, JSON.stringify(reports)].flatMap((text) =>
    findCanaries(text).map((found) => `${text.slice(0, 100)} … ${found}`),
  );
  expect(leaks).toEqual([]);
});

it("and many of them hold secrets when nothing is redacted", async () => {
  const redact = Object.assign((text: string) => text, { idle: true });
  const { texts } = await exerciseEngine({ add: () => undefined, holderOf: () => undefined, redact, version: () => 0 });
  expect(texts.filter((text) => findCanaries(text).length > 0).length).toBeGreaterThan(200);
});

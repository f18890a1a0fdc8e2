import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  loadConversation,
  type Message,
  type Model,
  type ModelDefinition,
  type Models,
  type RunEvent,
  type SessionMessage,
  type Store,
  streamRun,
} from "../../packages/core/src/index.ts";
import { collectTurn } from "../../packages/core/src/testing/collect-turn.ts";
import { createScriptedConnector } from "../../packages/core/src/testing/scripted-connector.ts";
import { createScriptedModel, scriptedModels } from "../../packages/core/src/testing/scripted-model.ts";
import { createModels } from "../../packages/models/src/create-models.ts";
import { cpuBetween, readCpu } from "../measure/tree-cpu.mjs";
import { quantile } from "../report/arithmetic.mjs";
import { openScripted, readConfig } from "./governed-engine.ts";

export interface RunsOptions {
  readonly dataRoot: string;
  /** The bench folder, where the model server is. */
  readonly bench: string;
  /** What makes the requests: the whole run loop, or the model adapter alone with the same two requests. */
  readonly by: "engine" | "adapter";
  readonly warmUp: number;
  readonly runs: number;
  readonly pieces: number;
  readonly everyMs: number;
}

const TURNS_PER_RUN = 2;
const NEVER = new AbortController().signal;
const PROMPT = { type: "text", text: "Say hello" } as const;
const ECHO = {
  name: "echo",
  description: "Says it again",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
} as const;

/**
 * Measures runs of two turns with a call in between, each in a new session: CPU per turn, and delay per piece of text.
 */
export async function measureRuns(options: RunsOptions): Promise<Record<string, number>> {
  const { url, stop } = await startModelServer(options);
  const models = createModels({ definitions: [definition(url)], resolveSecret: async (text) => text });
  const { runOnce, close } = options.by === "engine" ? await byEngine(models, options) : await byAdapter(models);
  const delays: number[] = [];
  for (let run = 0; run < options.warmUp; run += 1) await runOnce();
  const before = readCpu();
  for (let run = 0; run < options.runs; run += 1) delays.push(...(await runOnce()));
  const { own } = cpuBetween(before, readCpu());
  await close();
  stop();
  if (delays.length !== options.runs * options.pieces) throw new Error(`${delays.length} pieces of text were told.`);
  return {
    cpuMs: own / 1000 / (options.runs * TURNS_PER_RUN),
    p50: quantile(delays, 0.5),
    p99: quantile(delays, 0.99),
  };
}

/** Makes a run and returns how old, in milliseconds, each piece of its text was when it arrived. */
interface Runner {
  runOnce(): Promise<number[]>;
  close(): Promise<void>;
}

async function byEngine(models: Models, { dataRoot }: RunsOptions): Promise<Runner> {
  const connector = createScriptedConnector(["stdio"]);
  connector.server("s").tools = [ECHO];
  const config = readConfig({ servers: { s: { command: "none" } } });
  const { host, engine, close } = await openScripted(config, dataRoot, connector, models);
  await host.start();
  return {
    close,
    async runOnce() {
      const delays: number[] = [];
      for await (const event of streamRun(engine, { prompt: [PROMPT] })) {
        if (event.type === "text") delays.push(ageOf(event.text));
        if (event.type === "run-ended") assertDone(event);
      }
      return delays;
    },
  };
}

async function byAdapter(models: Models): Promise<Runner> {
  const opened = await models.open();
  if (opened.kind === "unknown") throw new Error(opened.message);
  const { model } = opened;
  return {
    close: async () => undefined,
    async runOnce() {
      const delays: number[] = [];
      const messages: Message[] = [{ role: "user", parts: [PROMPT] }];
      messages.push(await turnOf(model, messages, delays));
      const text = '{"message":"hello"}';
      messages.push({ role: "tool", results: [{ id: "call_1", tool: "echo", text, isError: false }] });
      await turnOf(model, messages, delays);
      return delays;
    },
  };
}

async function turnOf(model: Model, messages: readonly Message[], delays: number[]): Promise<Message> {
  const events = [];
  for await (const event of model.stream({ instructions: "", messages, tools: [ECHO] }, NEVER)) {
    if (event.type === "text" && event.text !== "") delays.push(ageOf(event.text));
    events.push(event);
  }
  return collectTurn(events);
}

function ageOf(writtenAt: string): number {
  return performance.timeOrigin + performance.now() - Number(writtenAt);
}

function assertDone({ end }: Extract<RunEvent, { type: "run-ended" }>): void {
  if (end.reason !== "done") throw new Error(`A run ended as ${JSON.stringify(end)}.`);
}

function definition(baseUrl: string): ModelDefinition {
  return {
    name: "bench",
    vendor: "openai-compatible",
    modelId: "bench",
    baseUrl,
    headers: {},
    isDefault: true,
    source: "bench",
  };
}

async function startModelServer({ bench, pieces, everyMs }: RunsOptions) {
  const server = spawn(process.execPath, [join(bench, "subjects/model-server.mjs")], {
    env: { ...process.env, PIECES: String(pieces), EVERY_MS: String(everyMs) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line]: unknown[] = await once(server.stdout, "data");
  return { url: String(line).trim(), stop: () => void server.kill() };
}

export interface SessionOptions {
  readonly dataRoot: string;
  readonly messages: number;
}

/** Measures loading a long session, and continuing it until the model has received all of it. */
export async function measureSession({ dataRoot, messages }: SessionOptions): Promise<Record<string, number>> {
  let received = 0;
  let cpuWhenAsked = readCpu();
  const answer = createScriptedModel([], { contextTokens: 10_000_000 });
  const model: Model = {
    summary: answer.summary,
    stream(request, signal) {
      received = request.messages.length;
      cpuWhenAsked = readCpu();
      return answer.stream(request, signal);
    },
  };
  const connector = createScriptedConnector(["stdio"]);
  const config = readConfig({ servers: {} });
  const { host, engine, store, close } = await openScripted(config, dataRoot, connector, scriptedModels(model));
  await host.start();
  await fillSession(store, messages);
  const before = readCpu();
  const startedAt = performance.now();
  const loaded = await loadConversation(engine, "long");
  const loadMs = performance.now() - startedAt;
  const loadCpu = cpuBetween(before, readCpu()).own / 1000;
  if (loaded?.messages.length !== messages) throw new Error("The session was not loaded whole.");
  const cpuBeforeRun = readCpu();
  for await (const event of streamRun(engine, { prompt: [PROMPT], sessionId: "long" }))
    if (event.type === "run-ended") assertDone(event);
  if (received !== messages + 1) throw new Error(`The model heard ${received} messages.`);
  await close();
  return { loadMs, loadCpu, runCpu: cpuBetween(cpuBeforeRun, cpuWhenAsked).own / 1000 };
}

/** Fills a session with `count` messages: a prompt, a call, its result and an answer, repeated. */
async function fillSession({ sessions }: Pick<Store, "sessions">, count: number): Promise<void> {
  const at = new Date().toISOString();
  await sessions.save({ id: "long", title: "Long", createdAt: at, updatedAt: at });
  const text = "What is known about it, newest first, as text that a model can read. ".repeat(8);
  const turn = (number: number): Message[] => [
    { role: "user", parts: [{ type: "text", text }] },
    { role: "assistant", parts: [{ type: "call", id: `call_${number}`, tool: "echo", arguments: { message: text } }] },
    { role: "tool", results: [{ id: `call_${number}`, tool: "echo", text, isError: false }] },
    { role: "assistant", parts: [{ type: "text", text }] },
  ];
  const messages = Array.from({ length: count / 4 }, (_, index) => turn(index)).flat();
  const rows = messages.map(
    (message, index): SessionMessage => ({ sessionId: "long", number: index + 1, at, message }),
  );
  await sessions.append(rows);
}

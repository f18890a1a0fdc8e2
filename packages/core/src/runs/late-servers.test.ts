import { describe, expect, it } from "vitest";
import { streamRun } from "../client/stream-run.ts";
import type { RunEvent, RunRequest } from "../domain/run.ts";
import {
  asksFor,
  createMemoryStore,
  createScriptedModel,
  createTestEngine,
  outcomesOfRun,
  type ScriptedTurn,
  says,
  scriptedModels,
  testDefinition,
  waitUntil,
} from "../testing/index.ts";

const JOIN_LATER = { kind: "join-later" } as const;
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

/** An engine with the server `ok`, which is up, and `late`, which comes up when the test says so. */
async function setUp(turns: readonly ScriptedTurn[], store = createMemoryStore()) {
  const model = createScriptedModel(turns);
  const test = createTestEngine({
    servers: [testDefinition("late"), testDefinition("ok")],
    ports: { models: scriptedModels(model), store },
  });
  let comeUp: () => void = () => undefined;
  test.connector.server("ok").tools = [tool("echo")];
  test.connector.server("late").tools = [tool("find")];
  test.connector.server("late").ready = new Promise<void>((resolve) => {
    comeUp = resolve;
  });
  await test.host.start(undefined, JOIN_LATER);
  await waitUntil(async () => (await test.engine.tools.list()).length === 1);
  const run = async (request: Partial<RunRequest> = {}) => {
    const events: RunEvent[] = [];
    const prompt = [{ type: "text", text: "hi" } as const];
    for await (const event of streamRun(test.engine, { prompt, ...request })) events.push(event);
    return events;
  };
  const sent = () => model.requests.map(({ tools }) => tools.map(({ name }) => name));
  return { ...test, model, run, sent, comeUp: () => comeUp() };
}

describe("F5 a run while a server is still coming", () => {
  it("begins without it and says so to the model; its tools join behind the others as soon as it is up", async () => {
    const { host, engine, connector, model, run, sent, comeUp } = await setUp([
      asksFor({ id: "echo", tool: "echo", arguments: {} }),
      asksFor({ id: "find", tool: "find", arguments: {} }),
      says("done"),
    ]);
    connector.server("ok").answer = async () => {
      comeUp();
      await host.joined();
      return { content: [], isError: false };
    };
    expect(outcomesOfRun(await run()).map(({ ref, status }) => [ref?.server, status])).toEqual([
      ["ok", "success"],
      ["late", "success"],
    ]);
    const all = ["echo", "search_tools", "call_tool", "find"];
    expect(sent()).toEqual([all.slice(0, 3), all, all]);
    expect(model.requests[0]?.instructions).toContain("MCP servers that are still connecting: 'late'.");
    expect(model.requests[1]?.instructions).toBe("");
    expect((await engine.servers.list()).map(({ status }) => status)).toEqual(["connected", "connected"]);
    await host.stop();
  });

  it("a search that finds nothing waits for the server, so that a model need not do without it", async () => {
    const { host, run, comeUp } = await setUp([
      asksFor({ id: "1", tool: "search_tools", arguments: { query: "find" } }),
      asksFor({ id: "2", tool: "call_tool", arguments: { name: "find", arguments: {} } }),
      says("done"),
    ]);
    const running = run();
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    comeUp();
    expect(outcomesOfRun(await running)).toMatchObject([
      { status: "success", result: { content: [{ text: expect.stringContaining("late/find") }] } },
      { status: "success", ref: { server: "late" } },
    ]);
    await host.stop();
  });

  it("a call of a tool that the server had last time waits for it", async () => {
    const store = createMemoryStore();
    const before = await setUp([], store);
    before.comeUp();
    await before.host.joined();
    await before.host.stop();
    const { host, engine, run, comeUp } = await setUp(
      [asksFor({ id: "find", tool: "find", arguments: {} }), says("done")],
      store,
    );
    const running = run();
    await waitUntil(async () => (await engine.runs.list()).some(({ sessionId }) => sessionId !== undefined));
    comeUp();
    expect(outcomesOfRun(await running)).toMatchObject([{ status: "success", ref: { server: "late" } }]);
    await host.stop();
  });

  it.each(["find", "late:find"])(
    "one that was told to use '%s' waits for the server that may have it",
    async (name) => {
      const { host, run, sent, comeUp } = await setUp([says("done")]);
      const running = run({ tools: { [name]: "in" } });
      await new Promise((resolve) => setImmediate(resolve));
      comeUp();
      expect((await running).at(-1)).toMatchObject({ end: { reason: "done" } });
      expect(sent()[0]).toContain("find");
      await host.stop();
    },
  );

  it.each(["echo", "ok:other"])("one that was told to use '%s' waits for no other server", async (name) => {
    const { host, clock, run } = await setUp([says("done")]);
    const end = (await run({ tools: { [name]: "in" } })).at(-1);
    expect(end).toMatchObject({ end: { reason: name === "echo" ? "done" : "not-started" } });
    const stopped = host.stop(0);
    clock.advance(0);
    await stopped;
  });
});

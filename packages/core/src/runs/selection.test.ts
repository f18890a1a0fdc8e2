import { describe, expect, it } from "vitest";
import { loadConversation } from "../client/load-conversation.ts";
import type { RunEvent } from "../domain/run.ts";
import { DEFAULT_SEARCH } from "../domain/search-settings.ts";
import {
  asksFor,
  openTestSession,
  outcomesOfRun,
  type ScriptedTurn,
  says,
  sessionOfRun,
  sessionServer,
  startTestRuns,
  testDefinition,
  waitUntil,
} from "../testing/index.ts";

const LONG = "It takes a while to say all that there is to say about it, and then some more. ".repeat(3);

/** Fifteen tools for each thing: more than any request should carry. */
const THINGS = "invoice,parcel,recipe,flight,lamp,song,meeting,photo,ticket,garden".split(",");
const BIG = THINGS.flatMap((thing) =>
  Array.from({ length: 15 }, (_, index) => ({
    name: `${thing}_${index}`,
    description: `Looks after ${thing} number ${index}. ${LONG}`,
    inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  })),
);
const WEATHER = {
  name: "get_forecast",
  description: "Tells tomorrow's weather of a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** Starts runs over a server with 150 tools and another with a single tool. */
async function startBig(
  turns: readonly ScriptedTurn[],
  options: Parameters<typeof startTestRuns>[1] = {},
  summary = {},
) {
  const servers = [testDefinition("big"), testDefinition("sky")];
  const test = await startTestRuns(turns, { servers, ...options }, summary);
  test.connector.server("big").tools = BIG;
  test.connector.server("sky").tools = [WEATHER];
  test.connector.toolsChanged("big");
  test.connector.toolsChanged("sky");
  await waitUntil(async () => (await test.engine.tools.list()).length === BIG.length + 1);
  const offered = (request = 0) => test.model.requests[request]?.tools.map(({ name }) => name) ?? [];
  return { ...test, offered };
}

function selectionIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === "selection-made" ? [event.selection] : []));
}

const search = (query: string, more = {}) => asksFor({ id: "m1", tool: "search_tools", arguments: { query, ...more } });
const call = (name: unknown, args: unknown = { city: "Bern" }) =>
  asksFor({
    id: "m2",
    tool: "call_tool",
    arguments: { name: String(name), arguments: args as Record<string, string> },
  });

describe("a run over more tools than fit", () => {
  it("C3.2 the tool for the prompt is sent, the same ones with every turn, and the selection is stored with the answer", async () => {
    const forecast = asksFor({ id: "m1", tool: "get_forecast", arguments: { city: "Bern" } });
    const { run, offered, model, engine } = await startBig([forecast, says("Rain.")]);
    const events = await run("What will the weather be in Bern tomorrow?");
    expect(offered()).toContain("get_forecast");
    expect(offered().slice(0, 2)).toEqual(["search_tools", "call_tool"]);
    expect(offered().length).toBeLessThan(30);
    expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
    const [selection] = selectionIn(events);
    expect(selection).toMatchObject({ demoted: 151, capped: 0 });
    expect((selection?.left ?? 0) + (selection?.tools.length ?? 0)).toBe(151);
    expect(selection?.tools).toContainEqual({
      name: "get_forecast",
      server: "sky",
      mode: "agent",
      score: expect.any(Number),
    });
    const kept = (await loadConversation(engine, sessionOfRun(events)))?.messages.map(({ message }) => message);
    expect(kept?.map((message) => message.role === "assistant" && message.selection)).toEqual([
      false,
      selection,
      false,
      undefined,
    ]);
  });

  it("a model finds a tool it was not sent, and calls it on the governed path under its own name", async () => {
    const { run, offered, model, connector, engine } = await startBig([
      search("weather tomorrow"),
      call("sky/get_forecast"),
      says("Rain."),
    ]);
    const events = await run("Please pay the invoice");
    expect(offered()).not.toContain("get_forecast");
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ tool: "search_tools", isError: false, text: expect.stringContaining(SIGNATURE) }],
    });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "call-changed",
        call: expect.objectContaining({
          status: "pending",
          shownName: "get_forecast",
          server: "sky",
          arguments: { city: "Bern" },
        }),
      }),
    );
    expect(connector.calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["get_forecast", { city: "Bern" }],
    ]);
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({
      results: [{ id: "m2", tool: "call_tool", isError: false }],
    });
    expect((await engine.calls.list({ limit: 9 })).items).toMatchObject([
      { server: "sky", toolName: "get_forecast", shownName: "get_forecast", status: "success" },
    ]);
  });

  it("used tools stay for later prompts, after those that were sent before", async () => {
    const { run, offered } = await startBig([call("get_forecast"), says("Rain."), says("Later.")], {
      toolbox: { search: { ...DEFAULT_SEARCH, topN: 3, includeScore: 1 } },
    });
    const sessionId = sessionOfRun(await run("Please pay the invoice"));
    await run("And the parcel?", { sessionId });
    const before = offered(0);
    expect(offered(2).slice(0, before.length)).toEqual(before);
    expect(offered(2)[before.length]).toBe("get_forecast");
  });

  it("a real tool that was not sent can also be called by its name", async () => {
    const forecast = asksFor({ id: "m1", tool: "get_forecast", arguments: { city: "Bern" } });
    const { run } = await startBig([forecast, says("Rain.")]);
    expect(outcomesOfRun(await run("Please pay the invoice"))).toMatchObject([{ status: "success" }]);
  });

  it("searching for an exact name returns the tool's whole definition", async () => {
    const { run, model } = await startBig([search("get_forecast", { limit: 1 }), says("ok")]);
    await run("Please pay the invoice");
    expect(lastText(model.requests[1])).toBe(
      `sky/get_forecast\nTells tomorrow's weather of a city.\nParameters: ${JSON.stringify(WEATHER.inputSchema)}\nCall one with call_tool.`,
    );
  });

  it("at most 5 tools are returned unless more are asked for, and never more than 20", async () => {
    const { run, model } = await startBig([
      search("invoice"),
      search("invoice", { limit: "7" }),
      search("invoice parcel recipe flight", { limit: 500 }),
      says("ok"),
    ]);
    await run("hello");
    const counts = [1, 2, 3].map((index) => lastText(model.requests[index]).split("\n").length - 1);
    expect(counts).toEqual([5, 7, 20]);
  });

  it("a search that finds nothing reports so and names the servers", async () => {
    const { run, model } = await startBig([search("xylophone quartz"), says("There is none.")]);
    await run("Please pay the invoice");
    expect(lastText(model.requests[1])).toBe(
      'No tool fits "xylophone quartz". Search again with other words, or say that there is no tool for it. Servers: big, sky.',
    );
  });

  it("S3.9 S3.10 S3.11 S3.13 a session's own tools are all sent, win over agent tools of their name, and are not searched", async () => {
    const { engine, run, model, connector, offered } = await startBig([search("tell time"), says("ok")]);
    const clock = { description: "Tells what time it is." };
    connector.server("mine").tools = [
      { name: "tell_time", ...clock },
      { name: "lamp_1", ...clock },
    ];
    const sessionId = await openTestSession(engine, [sessionServer("mine")]);
    const [selection] = selectionIn(await run("Please pay the invoice", { sessionId }));
    expect(offered().slice(0, 3)).toEqual(["lamp_1", "tell_time", "search_tools"]);
    expect(selection?.tools.slice(0, 2)).toEqual([
      { name: "lamp_1", server: "mine", mode: "always" },
      { name: "tell_time", server: "mine", mode: "always" },
    ]);
    expect(lastText(model.requests[1])).not.toContain("mine");
    expect(model.requests[0]?.tools[2]?.description).toMatch(/Servers: big, sky\.$/);
    expect(await engine.tools.search("tell time", { sessionId })).toEqual([]);
  });

  it("T25 a tool that is hidden, denied, removed or not added is neither found nor called", async () => {
    const servers = [testDefinition("big", { deny: ["lamp_*"] }), testDefinition("sky", { approval: "deny" })];
    const toolbox = { tools: [{ name: "song_1", include: "manual" as const }] };
    const { run, model, connector, engine } = await startTestRuns(
      [
        search("weather forecast lamp_1 song_1 parcel_1", { limit: 20 }),
        search("song_1"),
        asksFor(
          ...["get_forecast", "lamp_1", "song_1", "parcel_1"].map((name, index) => ({
            id: `c${index}`,
            tool: "call_tool",
            arguments: { name, arguments: { id: "1", city: "Bern" } },
          })),
        ),
        says("No."),
      ],
      { servers, toolbox },
    );
    connector.server("big").tools = BIG;
    connector.server("sky").tools = [WEATHER];
    connector.toolsChanged("big");
    connector.toolsChanged("sky");
    await waitUntil(async () => (await engine.tools.list()).length === 136);
    const events = await run("weather lamp_1 song_1 parcel_1", { tools: { parcel_1: "out" } });
    const forbidden = /get_forecast|\blamp_|\bsong_1\b|\bparcel_1\b/;
    expect(model.requests[0]?.tools.map(({ name }) => name).join()).not.toMatch(forbidden);
    expect(lastText(model.requests[1])).not.toMatch(forbidden);
    expect(lastText(model.requests[2])).toContain("big/song_2(");
    expect(lastText(model.requests[2])).not.toMatch(forbidden);
    const endings = outcomesOfRun(events).map((outcome) => [
      outcome.shownName,
      outcome.status === "error" && outcome.failure.ending,
    ]);
    expect(Object.fromEntries(endings.slice(2))).toEqual({
      get_forecast: "denied",
      // Told to people; what the model is told is in the next request.
      lamp_1: "denied",
      song_1: "unknown-tool",
      parcel_1: "unknown-tool",
    });
    const told = model.requests[3]?.messages.at(-1);
    expect(told?.role === "tool" && told.results.map(({ text }) => text)).toEqual([
      "MCP error: Tool call denied: The server setting is approval: deny",
      "MCP error: Unknown tool 'lamp_1'.",
      "MCP error: Unknown tool 'song_1'. Did you mean 'song_0'?",
      "MCP error: Unknown tool 'parcel_1'. Did you mean 'parcel_0'?",
    ]);
    expect(connector.calls).toEqual([]);
    expect(
      (await engine.tools.search("weather forecast lamp_1", { limit: 20 })).map(({ tool }) => tool.shownName).join(),
    ).not.toMatch(/get_forecast|lamp_/);
  });

  it("arguments of call_tool may be an object or its JSON text; anything else is reported to the model", async () => {
    const { run } = await startBig([
      call("get_forecast", '{"city":"Bern"}'),
      call("get_forecast", "Bern"),
      asksFor({ id: "m3", tool: "call_tool", arguments: { tool: "get_forecast" } }),
      asksFor({ id: "m4", tool: "search_tools", arguments: {} }),
      call("get_forcast"),
      says("ok"),
    ]);
    const outcomes = outcomesOfRun(await run("Please pay the invoice"));
    expect(outcomes.map((outcome) => (outcome.status === "error" ? outcome.failure.message : outcome.status))).toEqual([
      "success",
      "The arguments of tool 'get_forecast' cannot be read as a JSON object: Bern",
      'call_tool cannot be used like that: it needs {"name": text, "arguments": an object}',
      'search_tools cannot be used like that: it needs {"query": text, "limit": a whole number}',
      "Unknown tool 'get_forcast'. Did you mean 'get_forecast'?",
    ]);
  });

  it("T17 a server's tools cannot take the names of built-in tools", async () => {
    const { run, offered, connector, engine } = await startBig([
      asksFor({ id: "m1", tool: "search_tools", arguments: { query: "weather" } }),
      asksFor({ id: "m2", tool: "sky__search_tools", arguments: {} }),
      says("ok"),
    ]);
    connector.server("sky").tools = [WEATHER, { name: "search_tools" }, { name: "call_tool" }];
    connector.toolsChanged("sky");
    await waitUntil(async () => (await engine.tools.list()).length === BIG.length + 3);
    await run("Please pay the invoice");
    expect(offered().slice(0, 2)).toEqual(["search_tools", "call_tool"]);
    expect(connector.calls.map(({ name }) => name)).toEqual(["search_tools"]);
  });

  it("S3.9 a vendor's cap leaves mandatory tools to call_tool, which lists them, and the person is notified", async () => {
    const { run, model, engine } = await startBig([call("get_forecast"), says("ok")], {}, { maxTools: 5 });
    const names = ["lamp_1", "lamp_2", "get_forecast"];
    const events = await run("hello", { tools: Object.fromEntries(names.map((name) => [name, "in"])) });
    expect(selectionIn(events)).toMatchObject([{ capped: 1, tools: [{ name: "lamp_1" }, { name: "lamp_2" }] }]);
    expect(model.requests[0]?.tools).toHaveLength(4);
    expect(model.requests[0]?.tools.find(({ name }) => name === "call_tool")?.description).toContain(
      `Also there: ${SIGNATURE}`,
    );
    expect((await engine.calls.list({ limit: 9 })).items).toMatchObject([
      { toolName: "get_forecast", status: "success" },
    ]);
  });
});

describe("tools that fit", () => {
  it("are all sent, without built-in tools and without a selection event", async () => {
    const { run, model } = await startTestRuns([says("ok")]);
    const events = await run("hello");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["echo"]);
    expect(selectionIn(events)).toEqual([]);
  });
});

describe("searching by hand", () => {
  it("finds tools with a score and a reason, manual ones too, and follows what servers list", async () => {
    const { engine, connector } = await startBig([], {
      toolbox: { tools: [{ name: "get_forecast", include: "manual" }] },
    });
    const found = async () => (await engine.tools.search("weather tomorrow")).map(({ tool }) => tool.shownName);
    const [first] = await engine.tools.search("weather tomorrow");
    expect(first).toMatchObject({
      tool: { shownName: "get_forecast" },
      score: expect.any(Number),
      why: { named: false },
    });
    expect(first?.why.words.map(({ asked }) => asked).sort()).toEqual(["tomorrow", "weather"]);
    connector.server("sky").tools = [{ name: "read_stars", description: "Reads the stars." }];
    connector.toolsChanged("sky");
    await waitUntil(async () => (await found()).length === 0);
    connector.server("sky").tools = [{ ...WEATHER, name: "weather_tomorrow" }];
    connector.toolsChanged("sky");
    await waitUntil(async () => (await found()).join() === "weather_tomorrow");
  });
});

const SIGNATURE = "sky/get_forecast(city: string) - Tells tomorrow's weather of a city.";

function lastText(request: { messages: readonly unknown[] } | undefined): string {
  const last = request?.messages.at(-1) as { results?: { text: string }[] } | undefined;
  return last?.results?.[0]?.text ?? "";
}

import { describe, expect, it } from "vitest";
import { ConnectionError } from "../domain/connection.ts";
import { DEFAULT_CALL_LOG } from "../domain/limits.ts";
import type { CallResultPart } from "../domain/message.ts";
import { ModelError } from "../domain/model.ts";
import type { ModelRequest } from "../ports/model.ts";
import {
  asksFor,
  endOfRun,
  type ScriptedTurn,
  says,
  sessionOfRun,
  startTestRuns,
  testDefinition,
  testSettings,
  waitUntil,
} from "../testing/index.ts";

const hello = { id: "m1", tool: "echo", arguments: { message: "hello" } };

function newestResults({ messages }: ModelRequest): readonly CallResultPart[] {
  const last = messages.at(-1);
  return last?.role === "tool" ? last.results : [];
}

/** A model that reads on as the mark at the end of the newest result says, and answers "read" if there is no mark. */
const readsOn: ScriptedTurn = (request) => {
  const [, next] = /call read_result with (\{.*\})\]$/.exec(newestResults(request)[0]?.text ?? "") ?? [];
  return next === undefined ? says("read") : asksFor({ id: "m2", tool: "read_result", arguments: JSON.parse(next) });
};

/** Starts a run whose only tool answers with `text`. */
async function runWithResult(text: string, turns: readonly ScriptedTurn[], summary: object = {}) {
  const test = await startTestRuns(turns, {}, summary);
  test.connector.server("s").answer = () => ({ content: [{ type: "text", text }], isError: false });
  const events = await test.run("go");
  return { ...test, events, results: test.model.requests.slice(1).map(newestResults) };
}

function withoutMark(text: string): string {
  return text.replace(/\n\[Cut: [^\n]*\]$/, "");
}

describe("a result that is longer than a model reads at once", () => {
  it("is read to its end piece by piece, following the marks", async () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join("");
    const { results, events } = await runWithResult(long, [asksFor(hello), ...Array(20).fill(readsOn)]);
    expect(endOfRun(events)).toEqual({ reason: "done" });
    expect(results.length).toBe(Math.ceil(long.length / 30_000));
    expect(results.map(([result]) => withoutMark(result?.text ?? "")).join("")).toBe(long);
  });

  it("is never cut within a surrogate pair", async () => {
    const long = `a${"😀".repeat(40_000)}`;
    const { results } = await runWithResult(long, [asksFor(hello), ...Array(9).fill(readsOn)]);
    const pieces = results.map(([result]) => withoutMark(result?.text ?? ""));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
    expect(pieces.join("")).toBe(long);
  });

  it("is cut into smaller pieces for a model with a small window", async () => {
    const long = "x".repeat(25_000);
    const summary = { contextTokens: 8_192 };
    const { results, events } = await runWithResult(long, [asksFor(hello), ...Array(9).fill(readsOn)], summary);
    expect(endOfRun(events)).toEqual({ reason: "done" });
    const pieces = results.map(([result]) => withoutMark(result?.text ?? ""));
    // Earlier pieces may be left out of a request to make room; the piece that was just read never is.
    expect(pieces.join("")).toBe(long);
    expect(pieces[0]?.length).toBeLessThan(8_192);
  });
});

describe("F10 a result of which the record keeps only a part", () => {
  const long = Array.from({ length: 10_000 }, (_, index) => `line ${index}\n`).join("");
  const calls = { ...DEFAULT_CALL_LOG, keepResultBytes: 50_000 };

  async function setUp(turns: readonly ScriptedTurn[]) {
    const test = await startTestRuns(turns);
    await test.host.reload({ toolbox: testSettings(), servers: [testDefinition("s")], calls });
    test.connector.server("s").answer = () => ({ content: [{ type: "text", text: long }], isError: false });
    return test;
  }
  const textsOf = (requests: readonly ModelRequest[]) =>
    requests.map((request) => withoutMark(newestResults(request)[0]?.text ?? ""));

  it("is read to its end while the run lasts", async () => {
    const { run, model, engine } = await setUp([asksFor(hello), ...Array(20).fill(readsOn)]);
    await run("go");
    expect(textsOf(model.requests.slice(1)).join("")).toBe(long);
    const [record] = (await engine.calls.list({ limit: 1 })).items;
    expect(JSON.stringify(record?.result).length).toBeLessThan(50_000);
  });

  it("is read as far as it was kept in a later run, which says so", async () => {
    const { run, model } = await setUp([asksFor(hello), says("ok"), ...Array(20).fill(readsAgain)]);
    const sessionId = sessionOfRun(await run("go"));
    await run("read on", { sessionId });
    const read = textsOf(model.requests.slice(3)).join("");
    expect(long.slice(30_000).startsWith(read.split("\n[Kept")[0] ?? "?")).toBe(true);
    expect(read).toMatch(
      /\n\[Kept 48\.8 KB of this result, which has 106\.4 KB\. SHA-256 of all of it: [0-9a-f]{64}\]$/,
    );
  });
});

/** Like readsOn, but begins with the last result that was cut, whatever came after it. */
const readsAgain: ScriptedTurn = (request) => {
  const results = request.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const { text = "" } = results.at(-1) ?? {};
  const [, next] = /call read_result with (\{.*\})\]$/.exec(text) ?? [];
  return next === undefined ? says("read") : asksFor({ id: "m2", tool: "read_result", arguments: JSON.parse(next) });
};

describe("a result that is only in the record", () => {
  it("is cut to what a model may read when its session is opened again after a crash", async () => {
    const turns = [asksFor(hello), says("ok"), ...Array(9).fill(readsOn)];
    const { run, model, connector, store, engine } = await startTestRuns(turns);
    const long = "x".repeat(70_000);
    connector.server("s").answer = () => ({ content: [{ type: "text", text: long }], isError: false });
    const sessionId = sessionOfRun(await run("go"));
    const [record] = (await engine.calls.list({ limit: 1 })).items;
    const call = { type: "call", ...hello, id: "m9", callId: record?.id ?? "" } as const;
    await store.sessions.append([{ sessionId, number: 5, at: "", message: { role: "assistant", parts: [call] } }]);
    await run("and?", { sessionId });
    const message = model.requests[2]?.messages.at(-2);
    expect(message?.role === "tool" && message.results).toMatchObject([
      { id: "m9", isError: false, text: expect.stringMatching(/^x{30000}\n\[Cut: characters 0 to 30000 of 70000\./) },
    ]);
  });

  it("that can no longer be read is reported to the model, and the run goes on", async () => {
    const test = await startTestRuns([asksFor(hello), readsOn, says("I see.")]);
    test.connector.server("s").answer = () => ({
      content: [{ type: "text", text: "x".repeat(40_000) }],
      isError: false,
    });
    test.store.calls.load = () => Promise.reject(new Error("Its row is damaged."));
    expect(endOfRun(await test.run("go"))).toEqual({ reason: "done" });
    expect(test.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      results: [{ isError: true, text: "MCP error: read_result cannot read that: Its row is damaged." }],
    });
  });

  it("can be read on even if it is an error", async () => {
    const test = await startTestRuns([asksFor(hello), ...Array(9).fill(readsOn)]);
    test.connector.server("s").answer = () => {
      throw new ConnectionError("protocol-error", "e".repeat(70_000));
    };
    await test.run("go");
    const pieces = test.model.requests.slice(1).map((request) => withoutMark(newestResults(request)[0]?.text ?? ""));
    const [outcome] = (await test.engine.calls.list({ limit: 1 })).items;
    expect(pieces.join("")).toBe(`MCP error: ${outcome?.error}`);
    expect(pieces.length).toBe(3);
  });
});

describe("results that fill the model's window", () => {
  const many = asksFor(...Array.from({ length: 8 }, (_, index) => ({ ...hello, id: `m${index}` })));
  const lengthOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages).length;

  it("of one turn are cut to what fits, with a mark, and the cut is reported", async () => {
    const { model, events, results } = await runWithResult("y".repeat(20_000), [many, says("ok")], {
      contextTokens: 8_192,
    });
    expect(endOfRun(events)).toEqual({ reason: "done" });
    expect(lengthOf(model.requests[1])).toBeLessThan(8_192 * 3);
    expect(results[0]?.map(({ text }) => text)).toEqual(
      Array(8).fill(expect.stringMatching(/^y{300,}\n\[Cut: the model has no room for more than the first \d+ of \d+/)),
    );
    expect(events).toContainEqual({ type: "context-trimmed", messages: 1 });
  });

  it("are cut starting with the longest, and short ones stay whole", async () => {
    const asked = ["short", "long", "long", "long", "long"].map((message, index) => ({
      ...hello,
      id: `m${index}`,
      arguments: { message },
    }));
    const turns = [asksFor(...asked), says("ok")];
    const { connector, model, run } = await startTestRuns(turns, {}, { contextTokens: 1_500 });
    connector.server("s").answer = ({ arguments: { message } }) => {
      const text = message === "short" ? "short" : "z".repeat(20_000);
      return { content: [{ type: "text", text }], isError: false };
    };
    await run("go");
    const [, second] = model.requests;
    const texts = second === undefined ? [] : newestResults(second).map(({ text }) => text);
    const cut = expect.stringMatching(/^z{300,}\n\[Cut: the model has no room/);
    expect(texts).toEqual(["short", cut, cut, cut, cut]);
  });

  it("are cut again if the vendor still finds them too long, so that no tool ends a run", async () => {
    const tooLong = new ModelError("context-too-long", "too long");
    const { model, events } = await runWithResult("w".repeat(20_000), [many, [tooLong], says("ok")], {
      contextTokens: 8_192,
    });
    expect(endOfRun(events)).toEqual({ reason: "done" });
    const [, refused, taken] = model.requests;
    expect(lengthOf(taken)).toBeLessThan(lengthOf(refused) * 0.6);
  });
});

it("T25 a model that reads the result of its own refused call learns no more than it was told", async () => {
  const servers = [testDefinition("s", { deny: ["wipe"] })];
  const wipe = { id: "m1", tool: "wipe", arguments: {} };
  const startWith = async (...turns: ScriptedTurn[]) => {
    const test = await startTestRuns(turns, { servers });
    test.connector.server("s").tools = [{ name: "echo" }, { name: "wipe" }];
    test.connector.toolsChanged("s");
    await waitUntil(async () => (await test.engine.tools.explain("wipe")).length > 0);
    return test;
  };
  const learn = await startWith(asksFor(wipe), says("ok"));
  const [first] = (await learn.run("go")).flatMap((event) => (event.type === "call-result" ? [event] : []));
  const callId = first?.callId ?? "";
  expect(first?.outcome).toMatchObject({ failure: { ending: "denied" } });
  expect(first?.text).toBe("MCP error: Unknown tool 'wipe'.");

  const reads = { id: "m2", tool: "read_result", arguments: { id: callId } };
  const { run, model } = await startWith(asksFor(wipe), asksFor(reads), says("ok"));
  await run("go");
  const [, second, third] = model.requests;
  if (second === undefined || third === undefined) throw new Error("too few requests");
  expect(newestResults(second)).toMatchObject([{ callId, text: "MCP error: Unknown tool 'wipe'." }]);
  expect(newestResults(third)).toMatchObject([{ text: "MCP error: Unknown tool 'wipe'." }]);
});

import { describe, expect, it } from "vitest";
import { loadConversation } from "../client/load-conversation.ts";
import { streamRun } from "../client/stream-run.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { Engine } from "../engine.ts";
import type { EngineHost } from "../engine-host.ts";
import {
  asksFor,
  ECHO,
  endOfRun,
  openTestSession,
  says,
  sessionServer,
  shownNames,
  startTestRuns,
  waitUntil,
} from "../testing/index.ts";

const OWN_ECHO = { ...ECHO, name: "own_echo" };
const asksOwn = asksFor({ id: "m1", tool: "own_echo", arguments: { message: "x" } });
const forever = new Promise<never>(() => undefined);

async function startWithOwn(...[turns]: Parameters<typeof startTestRuns>) {
  const test = await startTestRuns(turns);
  test.connector.server("own").tools = [OWN_ECHO];
  return test;
}

async function open(engine: Engine, ...keys: readonly string[]): Promise<string> {
  const answer = await engine.sessions.open({ servers: keys.map((key) => sessionServer(key)) });
  return answer.kind === "ok" ? answer.value.id : "";
}

describe("S3.15 closing a session", () => {
  it("ends its servers, keeps its messages, and happens once", async () => {
    const { engine, connector, run } = await startWithOwn([says("ok"), says("ok")]);
    const sessionId = await openTestSession(engine, [sessionServer("own")]);
    await run("hi", { sessionId });
    const both = await Promise.all([engine.sessions.close(sessionId), engine.sessions.close(sessionId)]);
    expect([both, connector.closed("own")]).toEqual([[true, false], 1]);
    expect(await engine.sessions.close("nobody")).toBe(false);
    expect((await loadConversation(engine, sessionId))?.messages).toHaveLength(2);
    expect(await shownNames(engine, sessionId)).toEqual(["echo"]);
    expect(endOfRun(await run("on", { sessionId }))).toEqual({ reason: "done" });
    expect(connector.opened("own")).toBe(1);
  });

  it("cancels its run, and the call that the run waits for", async () => {
    const { engine, connector, run, clock } = await startWithOwn([asksOwn]);
    connector.server("own").answer = () => forever;
    const sessionId = await openTestSession(engine, [sessionServer("own")]);
    const running = run("hi", { sessionId });
    await waitUntil(() => connector.calls.length === 1);
    await engine.sessions.close(sessionId);
    expect(endOfRun(await running)).toEqual({ reason: "cancelled" });
    const [record] = (await engine.calls.list({ limit: 1 })).items;
    expect(record).toMatchObject({ status: "error", ending: "cancelled" });
    await waitUntil(() => clock.pending() === 0);
  });

  it("withdraws approvals that wait for a person, whichever door made the call", async () => {
    const { engine, connector } = await startWithOwn([]);
    const sessionId = await openTestSession(engine, [sessionServer("own")]);
    const options = { sessionId, approvalMode: "always-ask", attended: true } as const;
    const calls = ["own_echo", "echo"].map((tool) => engine.calls.make({ tool, arguments: { message: "x" } }, options));
    await waitUntil(async () => (await engine.approvals.list()).length === 2);
    await engine.sessions.close(sessionId);
    const outcomes = await Promise.all(calls);
    expect(outcomes.map((outcome) => outcome.status === "error" && outcome.failure.ending)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    expect([await engine.approvals.list(), connector.calls]).toEqual([[], []]);
  });

  it("stops a server that is still connecting", async () => {
    const { engine, connector, clock } = await startWithOwn([]);
    connector.server("own").ready = forever;
    const sessionId = await open(engine, "own");
    await waitUntil(() => connector.opened("own") === 1);
    expect(await engine.sessions.close(sessionId)).toBe(true);
    expect([connector.live(), clock.pending()]).toEqual([1, 0]);
  });

  it("does not retry a server that had failed", async () => {
    const { engine, connector, clock } = await startWithOwn([]);
    connector.server("own").refuse = new ConnectionError("unreachable", "down");
    const sessionId = await openTestSession(engine, [sessionServer("own")]);
    await waitUntil(() => clock.pending() === 1);
    await engine.sessions.close(sessionId);
    expect(clock.pending()).toBe(0);
    clock.advance(600_000);
    expect(connector.opened("own")).toBe(1);
  });

  it("is not held up by a reader that stopped reading a run", async () => {
    const { engine, connector, clock } = await startWithOwn([says("a"), says("b")]);
    const sessionId = await openTestSession(engine, [sessionServer("own")]);
    const prompt = [{ type: "text", text: "hi" } as const];
    const run = streamRun(engine, { prompt, sessionId })[Symbol.asyncIterator]();
    await run.next();
    const closing = engine.sessions.close(sessionId);
    await waitUntil(() => connector.closed("own") === 1);
    clock.advance(2_000);
    expect(await closing).toBe(true);
    await run.return?.();
  });

  it("allows it to be opened again with other servers", async () => {
    const { engine, connector, run } = await startWithOwn([says("ok")]);
    const id = await openTestSession(engine, [sessionServer("own")]);
    await run("hi", { sessionId: id });
    await engine.sessions.close(id);
    expect(await openTestSession(engine, [sessionServer("own")], { id })).toBe(id);
    expect([await shownNames(engine, id), connector.opened("own")]).toEqual([["echo", "own_echo"], 2]);
  });
});

describe("nothing is left of 20 sessions with 3 servers each", () => {
  const ways: Readonly<Record<string, (engine: Engine, ids: readonly string[], host: EngineHost) => Promise<unknown>>> =
    {
      "closed one by one": async (engine, ids) => {
        for (const id of ids) await engine.sessions.close(id);
      },
      "closed at once, and twice": (engine, ids) =>
        Promise.all([...ids, ...ids].map((id) => engine.sessions.close(id))),
      removed: (engine, ids) => Promise.all(ids.map((id) => engine.sessions.remove(id))),
      "opened again with nothing": (engine, ids) =>
        Promise.all(ids.map((id) => engine.sessions.open({ id, servers: [] }))),
      "ended with the engine": (_engine, _ids, host) => host.stop(0),
    };

  for (const [way, end] of Object.entries(ways))
    it(`${way}: no connection, no timer and no error, whether a server was up, down or connecting`, async () => {
      const { host, engine, connector, clock, logger } = await startWithOwn([]);
      connector.server("down").refuse = new ConnectionError("unreachable", "down");
      connector.server("slow").ready = forever;
      const agentsOwn = connector.live();
      const ids = await Promise.all(Array.from({ length: 20 }, () => open(engine, "own", "down", "slow")));
      await waitUntil(() => connector.live() === agentsOwn + 20 && connector.opened("slow") === 20);
      await end(engine, ids, host);
      await waitUntil(() => clock.pending() === 0);
      expect(connector.live()).toBe(way === "ended with the engine" ? 0 : agentsOwn);
      clock.advance(600_000);
      expect(connector.opened("down")).toBe(20);
      expect(logger.texts("error").filter((text) => !text.includes("'down'"))).toEqual([]);
    });

  it("no session can be opened once the engine stops", async () => {
    const { host, engine } = await startWithOwn([]);
    await host.stop(0);
    expect(await engine.sessions.open({ servers: [] })).toMatchObject({
      kind: "failed",
      failure: { message: "Tacklebox is stopping" },
    });
  });
});

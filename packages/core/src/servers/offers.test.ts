import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Connection } from "../ports/connector.ts";
import type { Ports } from "../ports/ports.ts";
import { createTestEngine, testDefinition, waitUntil } from "../testing/index.ts";

const note = { uri: "note://1", name: "one", raw: { uri: "note://1" } };
const template = { uriTemplate: "note://{n}", name: "note", raw: {} };
const prompt = { name: "greet", arguments: [], raw: {} };

/** Starts an engine with two servers: `s`, which offers resources and prompts and records subscriptions, and `bare`. */
async function started(offers: Partial<Connection> = {}, ports: Partial<Ports> = {}) {
  const subscribed: string[] = [];
  const unsubscribed: string[] = [];
  const test = createTestEngine({ servers: [testDefinition("s"), testDefinition("bare")], ports });
  test.connector.server("s").offers = {
    listResources: async () => [note],
    listResourceTemplates: async () => [template],
    listPrompts: async () => [prompt],
    subscribeResource: async (uri) => void subscribed.push(uri),
    unsubscribeResource: async (uri) => void unsubscribed.push(uri),
    ...offers,
  };
  const events: EngineEvent[] = [];
  listen(test.engine, (event) => events.push(event));
  await test.host.start();
  return { ...test, events, subscribed, unsubscribed };
}

describe("a server's offers besides tools", () => {
  it("S1.11 T1.4 are listed for every server, empty if it has none", async () => {
    const { engine } = await started();
    expect(await engine.servers.offers()).toEqual([
      { server: "s", resources: [note], templates: [template], prompts: [prompt] },
      { server: "bare", resources: [], templates: [], prompts: [] },
    ]);
    expect(await engine.servers.offers("bare")).toEqual([
      { server: "bare", resources: [], templates: [], prompts: [] },
    ]);
    expect(await engine.servers.offers("nobody")).toEqual([]);
  });

  it("report one server that could not be asked, and still list the others", async () => {
    const { engine } = await started({
      listPrompts: () => Promise.reject(new ConnectionError("interrupted", "the stream broke")),
    });
    expect(await engine.servers.offers()).toEqual([
      {
        server: "s",
        resources: [],
        templates: [],
        prompts: [],
        failure: { code: "interrupted", message: "Server 's': the stream broke" },
      },
      { server: "bare", resources: [], templates: [], prompts: [] },
    ]);
  });

  it("end with the server's timeout if it does not answer, and the others are listed", async () => {
    const never = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new ConnectionError("cancelled", "cancelled")));
      });
    const { engine, clock } = await started({ listPrompts: never, readResource: (_uri, signal) => never(signal) });
    const asked = [engine.servers.offers(), engine.servers.readResource("s", "note://1")] as const;
    const failure = { code: "timed-out", message: "Server 's' did not answer within 30 s" };
    await waitUntil(() => clock.pending() >= 2);
    clock.advance(30_000);
    expect(await asked[0]).toMatchObject([{ server: "s", failure }, { server: "bare" }]);
    expect(await asked[1]).toEqual({ kind: "failed", failure });
    const cancelled = new AbortController();
    const last = engine.servers.readResource("s", "note://1", { signal: cancelled.signal });
    await waitUntil(() => clock.pending() > 0);
    cancelled.abort();
    expect(await last).toMatchObject({ failure: { code: "cancelled" } });
    expect(clock.pending()).toBe(0);
  });

  it("S1.19 are read, filled in and completed", async () => {
    const contents = [{ kind: "text", uri: "note://1", text: "hello" }] as const;
    const filled = { messages: [{ role: "user", content: { type: "text", text: "hi Ada" } }] };
    const { engine } = await started({
      readResource: async () => contents,
      getPrompt: async () => filled,
      complete: async ({ typed }) => ({ values: [`${typed}da`], hasMore: false }),
    });
    expect(await engine.servers.readResource("s", "note://1")).toEqual({ kind: "ok", value: contents });
    expect(await engine.servers.getPrompt("s", "greet", { name: "Ada" })).toEqual({ kind: "ok", value: filled });
    const target = { kind: "prompt", name: "greet" } as const;
    expect(await engine.servers.complete("s", { target, argument: "name", typed: "A", known: {} })).toEqual({
      kind: "ok",
      value: { values: ["Ada"], hasMore: false },
    });
  });

  it("are a failed answer, never an exception, if they are not available", async () => {
    const { host, engine } = await started();
    expect(await engine.servers.readResource("nobody", "note://1")).toEqual({
      kind: "failed",
      failure: { code: "not-found", message: "There is no server 'nobody'" },
    });
    expect(await engine.servers.getPrompt("bare", "greet", {})).toEqual({
      kind: "failed",
      failure: { code: "protocol-error", message: "Server 'bare': it does not offer prompts" },
    });
    expect(await engine.servers.subscribe("bare", "note://1")).toMatchObject({
      failure: { message: "Server 'bare': it does not offer resource subscriptions" },
    });
    await host.stop();
    expect((await engine.servers.readResource("s", "note://1")).kind).toBe("failed");
  });

  it("are announced when they change", async () => {
    const { connector, events } = await started();
    connector.options("s").onOffersChanged?.("prompts");
    connector.options("s").onResourceUpdated?.("note://1");
    await waitUntil(() => events.at(-1)?.type === "resource-updated");
    expect(events.slice(-2)).toEqual([
      { type: "offers-changed", server: "s", what: "prompts" },
      { type: "resource-updated", server: "s", uri: "note://1" },
    ]);
  });
});

describe("a subscription to a resource", () => {
  async function subscribe({ engine }: Pick<Awaited<ReturnType<typeof started>>, "engine">) {
    const answer = await engine.servers.subscribe("s", "note://1");
    if (answer.kind === "failed") throw new Error(answer.failure.message);
    return answer.value.id;
  }

  it("is shared by all subscribers and ends with the last of them; ending it twice is harmless", async () => {
    const test = await started();
    const first = await subscribe(test);
    const second = await subscribe(test);
    expect(test.subscribed).toEqual(["note://1"]);
    const { unsubscribe } = test.engine.servers;
    expect([await unsubscribe(first), await unsubscribe(first)]).toEqual([true, false]);
    expect(test.unsubscribed).toEqual([]);
    expect(await unsubscribe(second)).toBe(true);
    expect(test.unsubscribed).toEqual(["note://1"]);
    await subscribe(test);
    expect(test.subscribed).toEqual(["note://1", "note://1"]);
  });

  it("D.7 survives a reconnect, unless it was ended before", async () => {
    const test = await started();
    await subscribe(test);
    const gone = await test.engine.servers.subscribe("s", "note://2");
    if (gone.kind === "ok") await test.engine.servers.unsubscribe(gone.value.id);
    test.subscribed.length = 0;
    test.connector.drop("s", "it exited");
    await waitUntil(() => test.clock.pending() > 0);
    test.clock.advance(500);
    await waitUntil(() => test.connector.opened("s") === 2);
    await waitUntil(() => test.subscribed.length > 0);
    expect(test.subscribed).toEqual(["note://1"]);
  });

  it("does not exist when the server refused it", async () => {
    let refusing = true;
    const asked: string[] = [];
    const test = await started({
      subscribeResource: async (uri) => {
        asked.push(uri);
        if (refusing) throw new ConnectionError("protocol-error", "not that one");
      },
    });
    expect(await test.engine.servers.subscribe("s", "note://1")).toEqual({
      kind: "failed",
      failure: { code: "protocol-error", message: "Server 's': not that one" },
    });
    refusing = false;
    await subscribe(test);
    expect(asked).toEqual(["note://1", "note://1"]);
  });
});

describe("a server's questions to a person", () => {
  it("T1.13 are not possible unless a door can show them", async () => {
    const { connector } = await started();
    const { elicit, roots } = connector.options("s");
    expect([elicit, roots]).toEqual([undefined, undefined]);
  });

  it("cannot claim to come from another server; roots are not offered outside a session", async () => {
    const { connector, engine } = await started({}, { answersQuestions: true });
    connector.server("s").tools = [{ name: "work" }];
    connector.toolsChanged("s");
    await waitUntil(async () => (await engine.tools.list()).length === 1);
    const { elicit, roots } = connector.options("s");
    const request = { kind: "form", server: "the bank", message: "PIN?", schema: {} } as const;
    let answer: unknown;
    connector.server("s").answer = async () => {
      answer = await elicit?.(request, new AbortController().signal);
      return { content: [], isError: false };
    };
    const call = engine.calls.make({ tool: "work", arguments: {} }, { attended: true });
    await waitUntil(async () => (await engine.questions.list()).length === 1);
    const [question] = await engine.questions.list();
    expect(question).toMatchObject({ kind: "form", scope: "agent", server: "s", message: "PIN?", schema: {} });
    expect(JSON.stringify(question)).not.toContain("the bank");
    expect(await engine.questions.answer(question?.id ?? "", { kind: "decline" })).toBe(true);
    expect(await call).toMatchObject({ status: "success" });
    expect([answer, roots]).toEqual([{ kind: "decline" }, undefined]);
  });
});

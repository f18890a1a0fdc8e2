import { expect, it } from "vitest";
import { createMemorySink } from "../../testing/memory-io.ts";
import { createOutbox } from "./outbox.ts";
import { createPeer, type PeerHooks } from "./peer.ts";
import { RpcError } from "./rpc-error.ts";

function setUp(hooks: Partial<PeerHooks> = {}) {
  const sink = createMemorySink();
  const outbox = createOutbox(sink);
  const bugs: unknown[] = [];
  const peer = createPeer(outbox, {
    answer: async () => ({ result: {} }),
    onNotification: () => undefined,
    onBug: (error) => void bugs.push(error),
    ...hooks,
  });
  const receive = (text: string) => peer.receive({ kind: "line", number: 1, text, bytes: text.length });
  const sent = async () => {
    // Replies are made within the tick; the outbox is flushed at its end.
    await new Promise((resolve) => setImmediate(resolve));
    await outbox.flushed();
    return sink
      .text()
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  };
  return { peer, receive, sent, bugs };
}

it.each([
  ["{", -32_700, null],
  ["[]", -32_600, null],
  ["3", -32_600, null],
  ['{"jsonrpc":"2.0"}', -32_600, null],
  ['{"jsonrpc":"2.0","id":{},"method":"x"}', -32_600, null],
])("answers %s with error %i and stays up", async (line, code, id) => {
  const { receive, sent } = setUp();
  receive(line);
  receive('{"jsonrpc":"2.0","id":"a","method":"x"}');
  expect(await sent()).toMatchObject([
    { jsonrpc: "2.0", id, error: { code } },
    { jsonrpc: "2.0", id: "a", result: {} },
  ]);
});

it("answers a line that is too long or not text with an error that says so", async () => {
  const { peer, sent } = setUp();
  peer.receive({ kind: "too-long", number: 1 });
  peer.receive({ kind: "not-utf8", number: 2 });
  expect(await sent()).toMatchObject([{ error: { code: -32_600 } }, { error: { code: -32_700 } }]);
});

it("runs the follow-up of a reply after the reply is sent", async () => {
  const { peer, receive, sent } = setUp({
    answer: async () => ({ result: { first: true }, after: () => peer.notify("second", {}) }),
  });
  receive('{"jsonrpc":"2.0","id":1,"method":"x"}');
  expect(await sent()).toMatchObject([{ result: { first: true } }, { method: "second" }]);
});

it("sends the client the errors meant for it, and of our own bugs only that there is one", async () => {
  const { receive, sent, bugs } = setUp({
    async answer(method) {
      throw method === "known" ? new RpcError("params", "wrong", { at: "a" }) : new Error("secret detail");
    },
  });
  receive('{"jsonrpc":"2.0","id":1,"method":"known"}');
  receive('{"jsonrpc":"2.0","id":2,"method":"bug"}');
  const messages = await sent();
  expect(messages).toMatchObject([
    { id: 1, error: { code: -32_602, message: "wrong", data: { at: "a" } } },
    { id: 2, error: { code: -32_603 } },
  ]);
  expect(JSON.stringify(messages)).not.toContain("secret detail");
  expect(bugs).toEqual([new Error("secret detail")]);
});

it("aborts the request that $/cancel_request names, and no other", async () => {
  const signals = new Map<string, AbortSignal>();
  const { receive } = setUp({
    answer: (method, _params, signal) => {
      signals.set(method, signal);
      return new Promise(() => undefined);
    },
  });
  receive('{"jsonrpc":"2.0","id":1,"method":"one"}');
  receive('{"jsonrpc":"2.0","id":"1","method":"two"}');
  receive('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"1"}}');
  expect([signals.get("one")?.aborted, signals.get("two")?.aborted]).toEqual([false, true]);
});

it("asks the client, and cancels requests that are no longer needed", async () => {
  const { peer, receive, sent } = setUp();
  const never = new AbortController().signal;
  const withdrawn = new AbortController();
  const answered = peer.request("a", {}, never);
  const refused = expect(peer.request("b", {}, never)).rejects.toThrow("The client answered: no");
  const taken = expect(peer.request("c", {}, withdrawn.signal)).rejects.toThrow("withdrawn");
  const left = expect(peer.request("d", {}, never)).rejects.toThrow("The client is gone");
  receive('{"jsonrpc":"2.0","id":1,"result":{"yes":true}}');
  receive('{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}');
  receive('{"jsonrpc":"2.0","id":99,"result":{}}');
  withdrawn.abort();
  expect(await answered).toEqual({ yes: true });
  await Promise.all([refused, taken]);
  expect(await sent()).toMatchObject([
    { id: 1, method: "a" },
    { id: 2, method: "b" },
    { id: 3, method: "c" },
    { id: 4, method: "d" },
    { method: "$/cancel_request", params: { requestId: 3 } },
  ]);
  peer.end();
  await left;
});

it("refuses a number that would arrive as another one, and a message nested too deeply", async () => {
  const { receive, sent } = setUp();
  receive('{"jsonrpc":"2.0","id":"a","method":"x","params":{"n":9007199254740993}}');
  receive('{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}');
  receive(`{"jsonrpc":"2.0","id":"c","method":"x","params":${"[".repeat(600)}${"]".repeat(600)}}`);
  expect(await sent()).toMatchObject([
    {
      id: "a",
      error: {
        code: -32_602,
        message: "Not accepted: the number 9007199254740993 at /params/n cannot be kept exactly; write it as a string",
      },
    },
    { id: null, error: { code: -32_602 } },
    { id: null, error: { code: -32_600, message: "A message may be nested at most 500 levels deep" } },
  ]);
});

it("a reply with a number that would arrive as another one fails the request it answers", async () => {
  const { peer, receive } = setUp();
  const asked = peer.request("elicitation/create", {}, new AbortController().signal);
  receive('{"jsonrpc":"2.0","id":1,"result":{"content":{"n":1e400}}}');
  await expect(asked).rejects.toThrow("the number 1e400 at /result/content/n cannot be kept exactly");
});

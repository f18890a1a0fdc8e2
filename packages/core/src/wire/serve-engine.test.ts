import { expect, it } from "vitest";
import { createTestEngine, waitUntil } from "../testing/index.ts";
import { createRemoteEngine } from "./remote-engine.ts";
import { serveEngine } from "./serve-engine.ts";

function serve() {
  const { engine } = createTestEngine();
  const sent: unknown[] = [];
  let take: (text: string) => void = () => undefined;
  const end = serveEngine(engine, {
    send: (text) => void sent.push(JSON.parse(text)),
    receive(listener) {
      take = listener;
    },
  });
  return {
    engine,
    sent,
    end,
    take: (text: string) => take(text),
    send: (message: object) => take(JSON.stringify(message)),
  };
}

it.each([
  ["calls", "constructor"],
  ["calls", "toString"],
  ["constructor", "name"],
  ["__proto__", "toString"],
  ["host", "stop"],
  ["nobody", "list"],
])("only methods of the engine can be asked for, not %s.%s", async (noun, method) => {
  const { sent, send } = serve();
  send({ type: "ask", id: 1, noun, method, args: [] });
  await waitUntil(() => sent.length === 1);
  expect(sent).toEqual([
    { id: 1, error: { name: "EngineError", code: "not-found", message: `There is no '${noun}.${method}'` } },
  ]);
});

it("an omitted argument is omitted at the other end, too", async () => {
  const { sent, send } = serve();
  send({ type: "ask", id: 1, noun: "tools", method: "explain", args: ["echo", null, null] });
  await waitUntil(() => sent.length === 1);
  expect(sent).toEqual([{ id: 1, value: [] }]);
});

it("when the other end is gone, its streams are no longer read", async () => {
  const { engine, sent, send, end } = serve();
  send({ type: "ask", id: 1, noun: "events", method: "follow", args: [] });
  send({ type: "next", id: 1 });
  end();
  await waitUntil(() => sent.length === 1);
  expect(sent).toEqual([{ id: 1, done: true }]);
  await engine.gpts.remove("nobody");
  expect(sent).toHaveLength(1);
});

it("what cannot be read is left out, and what is nested too deeply is refused", async () => {
  const { sent, take, send } = serve();
  take("{oops");
  take("[]");
  take(`{"type":"ask","noun":"calls","method":"make","args":${"[".repeat(5_000)}${"]".repeat(5_000)},"id":1}`);
  send({ type: "ask", id: 2, noun: "tools", method: "explain", args: ["echo", null, null] });
  await waitUntil(() => sent.length === 2);
  expect(sent).toMatchObject([
    { id: 1, error: { code: "invalid" } },
    { id: 2, value: [] },
  ]);
});

it("a client refuses to send what would not arrive as it is", async () => {
  const sent: string[] = [];
  const { engine } = createRemoteEngine({ send: (text) => void sent.push(text), receive: () => undefined });
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level += 1) deep = [deep];
  for (const value of [Number.POSITIVE_INFINITY, Number.NaN, deep])
    await expect(engine.calls.make({ tool: "t", arguments: { value: value as never } })).rejects.toMatchObject({
      code: "invalid",
    });
  expect(sent).toEqual([]);
});

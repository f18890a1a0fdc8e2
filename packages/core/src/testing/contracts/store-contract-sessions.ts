import type { Message } from "../../domain/message.ts";
import type { Session, SessionMessage } from "../../domain/session.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import type { Store } from "../../ports/store.ts";
import { assertEqual, assertRejects, assertThat } from "./contract.ts";
import { ODD_TEXT, type StoreCases } from "./store-contract-case.ts";

export const SESSION: Session = {
  id: "session-1",
  title: ODD_TEXT,
  createdAt: "2026-08-01T10:00:00.000Z",
  updatedAt: "2026-08-01T10:05:00.000Z",
  gpt: "helper",
  model: "openai/some-model",
  folders: ["/home/ada/project", `/home/ada/${ODD_TEXT}`],
  tools: { "files:read": "in", [`files:${ODD_TEXT}`]: "out" },
};

const IMAGE = { type: "image", mimeType: "image/png", data: "iVBORw0K" } as const;

/** One message of every kind, with every field set. */
const EVERY_KIND: readonly Message[] = [
  { role: "user", parts: [{ type: "text", text: ODD_TEXT }, IMAGE] },
  {
    role: "assistant",
    parts: [
      { type: "thought", text: "Hm.", vendor: { acme: { signature: "c2ln" } } },
      { type: "text", text: "", vendor: { acme: { id: 1 } } },
      {
        type: "call",
        id: "m1",
        tool: "echo",
        arguments: { list: [1, -0.5, 1e300, null, true, ODD_TEXT], [ODD_TEXT]: {} },
        callId: "call-1",
        vendor: { acme: {} },
      },
      { type: "call", id: "m2", tool: "echo", arguments: {}, unreadable: '{"message":' },
    ],
    selection: {
      tools: [
        { name: "echo", server: ODD_TEXT, mode: "always" },
        { name: "find", server: "web", mode: "agent", score: 0.125 },
      ],
      left: 2,
      demoted: 1,
      capped: 0,
    },
  },
  {
    role: "tool",
    results: [
      { id: "m1", tool: "echo", text: ODD_TEXT, isError: false, images: [IMAGE], callId: "call-1" },
      { id: "m2", tool: "echo", text: "MCP error: unreadable", isError: true },
    ],
  },
  { role: "assistant", parts: [] },
];

export function numbered(sessionId: string, messages: readonly Message[], first = 1): readonly SessionMessage[] {
  const at = "2026-08-01T10:00:00.000Z";
  return messages.map((message, index) => ({ sessionId, number: first + index, at, message }));
}

export const sessionCases: StoreCases = {
  "returns a session as it was saved, and no other": async ({ store }) => {
    const bare = { id: ODD_TEXT, title: "", createdAt: "2026-08-01T10:00:00.000Z", updatedAt: "" };
    for (const session of [SESSION, bare]) {
      await store.sessions.save(session);
      assertEqual(await store.sessions.load(session.id), session, "the session");
    }
    assertEqual(await store.sessions.load("nobody"), undefined, "an unknown id");
    assertEqual(await store.sessions.messages("nobody"), [], "the messages of an unknown id");
    assertEqual(await store.sessions.messages(SESSION.id), [], "the messages of a session without any");
  },

  "replaces title, GPT, model and time of a session, and leaves its messages": async ({ store }) => {
    const messages = await begin(store, SESSION.id, EVERY_KIND);
    const { gpt: _gpt, ...later } = { ...SESSION, title: "Later", model: "m", updatedAt: "2026-08-02T10:00:00.000Z" };
    await store.sessions.save(later);
    assertEqual(await store.sessions.load(SESSION.id), later, "the session");
    assertEqual(await store.sessions.list({ limit: 9 }), [later], "the sessions");
    assertEqual(await store.sessions.messages(SESSION.id), messages, "its messages");
  },

  "lists the most recently used session first, the newer of two used at the same time, up to the limit": async ({
    store,
  }) => {
    const minutes = { a: "02", b: "03", c: "01", d: "03" };
    for (const [id, minute] of Object.entries(minutes))
      await store.sessions.save({ ...SESSION, id, updatedAt: `2026-08-01T10:${minute}:00.000Z` });
    await store.sessions.save({ ...SESSION, id: "a", updatedAt: "2026-08-01T10:04:00.000Z" });
    const listed = async (limit: number) => (await store.sessions.list({ limit })).map(({ id }) => id);
    assertEqual(await listed(10), ["a", "d", "b", "c"], "the order");
    assertEqual(await listed(2), ["a", "d"], "with a limit of 2");
    assertEqual(await listed(0), [], "with a limit of 0");
    assertEqual(await listed(Number.POSITIVE_INFINITY), ["a", "d", "b", "c"], "with no limit");
  },

  "returns messages of every kind as they were appended, oldest first": async ({ store }) => {
    const messages = await begin(store, SESSION.id, EVERY_KIND);
    const others = await begin(store, "session-2", EVERY_KIND.slice(0, 1));
    const more = numbered(SESSION.id, EVERY_KIND.slice(0, 2), EVERY_KIND.length + 1);
    for (const message of more) await store.sessions.append([message]);
    assertEqual(await store.sessions.messages(SESSION.id), [...messages, ...more], "the messages");
    assertEqual(await store.sessions.messages("session-2"), others, "those of the other session");
  },

  "orders messages by their numbers, not by when they were appended": async ({ store }) => {
    await store.sessions.save(SESSION);
    const messages = numbered(SESSION.id, Array<Message>(12).fill({ role: "user", parts: [] }));
    await store.sessions.append(messages.toReversed());
    assertEqual(await store.sessions.messages(SESSION.id), messages, "the messages");
  },

  "keeps an image of a megabyte, and arguments that are deeply nested or named like JavaScript's own members": async ({
    store,
  }) => {
    const image = { ...IMAGE, data: "iVBORw0K".repeat(175_000) };
    const odd = JSON.parse('{"__proto__":{"polluted":true},"constructor":null,"toJSON":"x"}');
    const messages = await begin(store, SESSION.id, [
      { role: "user", parts: [image] },
      { role: "assistant", parts: [{ type: "call", id: "m1", tool: "t", arguments: { deep: nested(500), odd } }] },
    ]);
    assertEqual(await store.sessions.messages(SESSION.id), messages, "the messages");
  },

  "appends all messages or none when a number is taken": async ({ store }) => {
    const messages = await begin(store, SESSION.id, EVERY_KIND);
    const others = await begin(store, "session-2", []);
    const last = EVERY_KIND.length;
    const user: Message = { role: "user", parts: [] };
    const [free, taken] = [numbered(SESSION.id, [user], last + 1), numbered(SESSION.id, [user], last)];
    for (const refused of [
      taken,
      [...free, ...taken],
      [...free, ...free],
      [...numbered("session-2", [user]), ...taken],
    ]) {
      const error = await assertRejects(store.sessions.append(refused), "a number that is taken");
      assertThat(error instanceof Error, "the refusal is an Error");
    }
    assertEqual(await store.sessions.messages(SESSION.id), messages, "the messages");
    assertEqual(await store.sessions.messages("session-2"), others, "those of the other session");
    await store.sessions.append([]);
    await store.sessions.append(free);
    assertEqual(await store.sessions.messages(SESSION.id), [...messages, ...free], "the messages afterwards");
  },

  "gives a number to only one of two concurrent appends": async ({ store }) => {
    await store.sessions.save(SESSION);
    const mine = numbered(SESSION.id, EVERY_KIND.slice(0, 2));
    const theirs = numbered(SESSION.id, EVERY_KIND.slice(1, 3), 2);
    const call = { ...CALL, id: "beside them" };
    const settled = await Promise.allSettled([
      store.sessions.append(mine),
      store.sessions.append(theirs),
      store.calls.save(call),
    ]);
    assertEqual(
      settled.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
      "how they ended",
    );
    assertEqual(await store.sessions.messages(SESSION.id), mine, "the messages");
    assertEqual(await store.calls.load(call.id), call, "a call that was saved at the same time");
  },

  "refuses messages of a session that does not exist, or no longer does": async ({ store }) => {
    await begin(store, SESSION.id, EVERY_KIND);
    await store.sessions.remove(SESSION.id);
    for (const id of [SESSION.id, "nobody"]) {
      await assertRejects(store.sessions.append(numbered(id, EVERY_KIND, 9)), "messages of no session");
      assertEqual(await store.sessions.messages(id), [], "the messages");
    }
  },

  "removes a session with its messages, once, and leaves the others": async ({ store }) => {
    await begin(store, SESSION.id, EVERY_KIND);
    const others = await begin(store, "session-2", EVERY_KIND);
    assertEqual(await store.sessions.remove(SESSION.id), true, "the first time");
    assertEqual(await store.sessions.remove(SESSION.id), false, "the second time");
    assertEqual(await store.sessions.load(SESSION.id), undefined, "the removed session");
    assertEqual(await store.sessions.messages(SESSION.id), [], "its messages");
    assertEqual(
      (await store.sessions.list({ limit: 9 })).map(({ id }) => id),
      ["session-2"],
      "the sessions",
    );
    assertEqual(await store.sessions.messages("session-2"), others, "messages of the other session");
    const anew = await begin(store, SESSION.id, EVERY_KIND.slice(0, 1));
    assertEqual(await store.sessions.messages(SESSION.id), anew, "messages of a session with the removed one's id");
  },

  "keeps and returns copies of sessions and messages": async ({ store }) => {
    const parts = [{ type: "text" as const, text: "as appended" }];
    const session = { ...SESSION };
    const saving = store.sessions.save(session);
    session.title = "changed";
    await saving;
    const appending = store.sessions.append(numbered(SESSION.id, [{ role: "user", parts }]));
    parts.push({ type: "text", text: "changed" });
    await appending;
    assertEqual((await store.sessions.load(SESSION.id))?.title, ODD_TEXT, "the title");
    const expected = [{ type: "text", text: "as appended" }];
    for (const time of ["first", "second"]) {
      const [read] = await store.sessions.messages(SESSION.id);
      const given = read?.message.role === "user" ? read.message.parts : undefined;
      assertEqual(given, expected, `the parts, read the ${time} time`);
      Object.assign(given?.[0] ?? {}, { text: "changed by a reader" });
    }
  },
};

const CALL = {
  id: "call-1",
  scope: "agent",
  server: "s",
  toolName: "echo",
  shownName: "echo",
  arguments: {},
  status: "running",
  startedAt: "2026-08-01T10:00:00.000Z",
  owner: "mine",
} as const;

async function begin(store: Store, id: string, messages: readonly Message[]): Promise<readonly SessionMessage[]> {
  await store.sessions.save({ ...SESSION, id });
  const appended = numbered(id, messages);
  await store.sessions.append(appended);
  return appended;
}

function nested(depth: number): JsonObject {
  let value: Json = "the innermost";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return { value };
}

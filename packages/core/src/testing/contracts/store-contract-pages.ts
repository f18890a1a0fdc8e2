import type { CallQuery } from "../../domain/call.ts";
import type { Message } from "../../domain/message.ts";
import type { SessionsQuery, Store } from "../../ports/store.ts";
import { assertEqual } from "./contract.ts";
import { listIds, RUNNING, SUCCEEDED } from "./store-contract-calls.ts";
import type { StoreCases } from "./store-contract-case.ts";
import { numbered, SESSION } from "./store-contract-sessions.ts";

const PAGE = 3;

const callPages: StoreCases = {
  "reaches every call once, page by page": async ({ store }) => {
    const ids = await saveCalls(store, 10);
    assertEqual(await pageThroughCalls(store, {}), ids.toReversed(), "the calls of all pages");
    const oldest = ids[0] ?? "";
    assertEqual(await listIds(store, { after: oldest }), [], "what is older than the oldest call");
    assertEqual(await listIds(store, { after: "call-5", limit: 0 }), [], "with a limit of 0");
  },

  "reaches every matching call once, whatever call a page starts after": async ({ store }) => {
    const ids = await saveCalls(store, 24);
    const every = (step: number) => ids.filter((_, number) => number % step === 0).toReversed();
    assertEqual(await pageThroughCalls(store, { server: "files" }), every(2), "by server");
    assertEqual(await pageThroughCalls(store, { toolName: "find" }), every(3), "by tool");
    assertEqual(await pageThroughCalls(store, { status: "error" }), every(4), "by status");
    const open = ids.filter((_, number) => number % 4 === 1).toReversed();
    assertEqual(await pageThroughCalls(store, { status: "running" }), open, "by status, those that have not ended");
    assertEqual(
      await pageThroughCalls(store, { server: "files", toolName: "find", status: "error" }),
      every(12),
      "by all three",
    );
    assertEqual(
      await listIds(store, { server: "files", after: "call-7" }),
      ["call-6", "call-4", "call-2", "call-0"],
      "those of a server that are older than a call of another one",
    );
  },

  "finds the calls whose id begins with a text, newest first": async ({ store }) => {
    await saveCalls(store, 12);
    assertEqual(await listIds(store, { idPrefix: "call-1" }), ["call-11", "call-10", "call-1"], "by the beginning");
    assertEqual(await listIds(store, { idPrefix: "call-1", limit: 2 }), ["call-11", "call-10"], "with a limit");
    assertEqual(await listIds(store, { idPrefix: "call-1", after: "call-11" }), ["call-10", "call-1"], "after one");
    assertEqual(await listIds(store, { idPrefix: "all-1" }), [], "by the middle");
    assertEqual(await listIds(store, { idPrefix: "call_1" }), [], "by what SQL takes for a pattern");
    assertEqual(await listIds(store, { idPrefix: "%" }), [], "by a wildcard");
  },

  "reaches every call once while others are saved and end": async ({ store }) => {
    const ids = await saveCalls(store, 10);
    let later = 0;
    const listed = await pageThroughCalls(store, {}, async () => {
      later += 1;
      await store.calls.save({ ...RUNNING, id: `later-${later}` });
      await store.calls.save({ ...SUCCEEDED, id: "call-1" });
    });
    assertEqual(listed, ids.toReversed(), "the calls of all pages");
  },

  "lists no call after one that does not exist, or no longer does": async ({ store }) => {
    await saveCalls(store, 4);
    assertEqual(await listIds(store, { after: "nobody" }), [], "after a call that never was");
    await store.calls.save({ ...SUCCEEDED, id: "ended" });
    await store.calls.prune({ keepAtMost: 0, keepBytes: 1_000_000_000 });
    assertEqual(await listIds(store, { after: "ended" }), [], "after a call that was removed");
  },
};

const sessionPages: StoreCases = {
  "reaches every session once, page by page, including those used at the same time": async ({ store }) => {
    await saveSessions(store, { a: 1, b: 3, c: 2, d: 2, e: 2, f: 2, g: 2, h: 0, i: 3, j: 1 });
    const expected = ["i", "b", "g", "f", "e", "d", "c", "j", "a", "h"];
    assertEqual(await pageThroughSessions(store), expected, "the sessions of all pages");
    const after = { id: "b", updatedAt: minute(3) };
    assertEqual(await store.sessions.list({ limit: 0, after }), [], "with a limit of 0");
    const all = await store.sessions.list({ limit: Number.POSITIVE_INFINITY, after });
    assertEqual(ids(all), expected.slice(2), "with no limit");
  },

  "finds the sessions whose id begins with a text, the one used last first": async ({ store }) => {
    await saveSessions(store, { "ab-1": 1, "ab-2": 3, "ab-3": 2, "b-4": 4 });
    assertEqual(
      ids(await store.sessions.list({ limit: 9, idPrefix: "ab" })),
      ["ab-2", "ab-3", "ab-1"],
      "by the beginning",
    );
    const after = { id: "ab-2", updatedAt: minute(3) };
    assertEqual(
      ids(await store.sessions.list({ limit: 1, idPrefix: "ab", after })),
      ["ab-3"],
      "after one, with a limit",
    );
    assertEqual(await store.sessions.list({ limit: 9, idPrefix: "-" }), [], "by the middle");
  },

  "continues at the same position when the session before it moves to the top": async ({ store }) => {
    await saveSessions(store, { a: 1, b: 2, c: 2, d: 2, e: 2, f: 3 });
    const listed = await pageThroughSessions(store, async (last) => {
      await store.sessions.save({ ...SESSION, id: last, updatedAt: minute(9) });
    });
    assertEqual(listed, ["f", "e", "d", "c", "b", "a"], "the sessions of all pages");
    assertEqual(ids(await store.sessions.list({ limit: 2 })), ["d", "a"], "what is at the top now");
  },

  "reaches every session that keeps its position while others move to the top or are added": async ({ store }) => {
    await saveSessions(store, { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 });
    let later = 10;
    const listed = await pageThroughSessions(store, async () => {
      later += 1;
      await saveSessions(store, { f: later, [`new-${later}`]: later });
    });
    assertEqual(listed, ["g", "f", "e", "d", "c", "b", "a"], "the sessions of all pages");
  },

  "continues at the same position when the session before it was removed": async ({ store }) => {
    await saveSessions(store, { a: 1, b: 2, c: 3, d: 3, e: 3, f: 4 });
    await store.sessions.remove("d");
    const after = async (id: string, at: number) =>
      ids(await store.sessions.list({ limit: 9, after: { id, updatedAt: minute(at) } }));
    assertEqual(await after("d", 3), ["b", "a"], "after the removed session");
    assertEqual(await after("nobody", 4), ["e", "c", "b", "a"], "after one that never was");
    assertEqual(await after("a", 1), [], "after the last");
  },
};

const messagePages: StoreCases = {
  "returns every message once, page by page, oldest first": async ({ store }) => {
    const messages = numbered(SESSION.id, Array<Message>(11).fill({ role: "user", parts: [] }));
    await saveSessions(store, { [SESSION.id]: 1, other: 1 });
    await store.sessions.append(messages.toReversed());
    await store.sessions.append(numbered("other", [{ role: "assistant", parts: [] }], 12));
    const found = [];
    for (let after = 0, limit = PAGE; limit === PAGE; ) {
      const page = await store.sessions.messages(SESSION.id, { after, limit });
      found.push(...page);
      limit = page.length;
      after = page.at(-1)?.number ?? after;
    }
    assertEqual(found, messages, "the messages of all pages");
    const rest = await store.sessions.messages(SESSION.id, { after: 4, limit: Number.POSITIVE_INFINITY });
    assertEqual(rest, messages.slice(4), "all after a number");
    for (const [what, after, limit] of [
      ["after the last", 11, PAGE],
      ["with a limit of 0", 0, 0],
    ] as const)
      assertEqual(await store.sessions.messages(SESSION.id, { after, limit }), [], what);
    assertEqual(await store.sessions.messages("nobody", { after: 0, limit: PAGE }), [], "of an unknown session");
  },
};

export const pageCases: StoreCases = { ...callPages, ...sessionPages, ...messagePages };

/** Every second call is of server `files`, every third of tool `find`; every fourth failed, the next is open. */
async function saveCalls(store: Store, count: number): Promise<readonly string[]> {
  const saved = Array.from({ length: count }, (_, number) => `call-${number}`);
  for (const [number, id] of saved.entries())
    await store.calls.save({
      ...RUNNING,
      id,
      server: number % 2 === 0 ? "files" : "customers",
      toolName: number % 3 === 0 ? "find" : "get",
      status: (["error", "running", "success", "pending"] as const)[number % 4] ?? "error",
    });
  return saved;
}

async function pageThroughCalls(
  store: Store,
  query: Partial<CallQuery>,
  betweenPages?: () => Promise<void>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let page = await listIds(store, { ...query, limit: PAGE }); page.length > 0; ) {
    found.push(...page);
    await betweenPages?.();
    page = await listIds(store, { ...query, limit: PAGE, after: page.at(-1) ?? "" });
  }
  return found;
}

async function pageThroughSessions(
  store: Store,
  betweenPages?: (last: string) => Promise<void>,
): Promise<readonly string[]> {
  const found: string[] = [];
  let query: SessionsQuery | undefined = { limit: PAGE };
  while (query !== undefined) {
    const page = await store.sessions.list(query);
    found.push(...ids(page));
    const last = page.at(-1);
    if (last !== undefined) await betweenPages?.(last.id);
    query = last && { limit: PAGE, after: { id: last.id, updatedAt: last.updatedAt } };
  }
  return found;
}

/** Saves sessions, each with the minute in which it was last used. */
async function saveSessions(store: Store, minutes: Readonly<Record<string, number>>): Promise<void> {
  for (const [id, at] of Object.entries(minutes)) await store.sessions.save({ ...SESSION, id, updatedAt: minute(at) });
}

function minute(at: number): string {
  return `2026-08-01T10:${String(at).padStart(2, "0")}:00.000Z`;
}

function ids(listed: readonly { readonly id: string }[]): readonly string[] {
  return listed.map(({ id }) => id);
}

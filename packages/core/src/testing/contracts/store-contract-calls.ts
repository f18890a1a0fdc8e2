import type { CallQuery, CallRecord } from "../../domain/call.ts";
import type { CallMemo, Store } from "../../ports/store.ts";
import { assertEqual } from "./contract.ts";
import { ODD_TEXT, type StoreCases } from "./store-contract-case.ts";

/** A record from before callers were recorded. */
const WITHOUT_CALLER: CallRecord = {
  id: "call-1",
  scope: "agent",
  server: "customers",
  toolName: "get_customer",
  shownName: "customers__get_customer",
  arguments: { id: 7, nested: { list: [1, "zwei", null, true], text: "Grüße\u0000\n" } },
  status: "running",
  startedAt: "2026-08-01T10:00:00.000Z",
  owner: "mine",
};

export const RUNNING: CallRecord = {
  ...WITHOUT_CALLER,
  caller: { door: "acp", client: ODD_TEXT, sessionId: "session-1", principal: "ada" },
};

const DECISION = "allow (door): approval mode is auto";

export const SUCCEEDED: CallRecord = {
  ...RUNNING,
  status: "success",
  decision: DECISION,
  result: {
    content: [
      { type: "text", text: "Ada" },
      { type: "not-yet-invented", payload: { deep: [{}] } },
    ],
    structuredContent: { name: "Ada", tags: [] },
    isError: false,
    meta: { "vendor/trace": "abc" },
  },
  completedAt: "2026-08-01T10:00:01.000Z",
  times: { personMs: 640, slotMs: 0, runMs: 355 },
};

export const FAILED: CallRecord = {
  ...RUNNING,
  id: "call-2",
  status: "error",
  ending: "tool-error",
  error: 'The tool said: "no such customer".',
  result: { content: [{ type: "text", text: "no such customer" }], isError: true },
  completedAt: "2026-08-01T10:00:02.000Z",
  times: { personMs: 0, slotMs: 86_400_000, runMs: 7 },
  sent: true,
};

export const callCases: StoreCases = {
  "S1.12 returns every field of a call as it was saved": async ({ store }) => {
    const records: readonly CallRecord[] = [
      SUCCEEDED,
      FAILED,
      { ...RUNNING, id: "call-3" },
      { ...WITHOUT_CALLER, id: "call-4", status: "success" },
      { ...FAILED, id: "call-5", caller: { door: "cli" }, sent: false },
      { ...RUNNING, id: "call-6", status: "pending" },
    ];
    for (const record of records) {
      await store.calls.save(record);
      assertEqual(await store.calls.load(record.id), record, `the record ${record.id}`);
    }
    assertEqual(await store.calls.list({ limit: 10 }), records.toReversed(), "the list");
  },

  "saves the end of a call the same way whether or not it gets the memo of the save before": async ({ store }) => {
    const starts: readonly CallRecord[] = [RUNNING, { ...RUNNING, decision: DECISION }, WITHOUT_CALLER];
    const ends: readonly CallRecord[] = [
      SUCCEEDED,
      FAILED,
      { ...FAILED, caller: { door: "web" }, sent: false },
      { ...WITHOUT_CALLER, status: "success" },
    ];
    for (const [start, running] of starts.entries()) {
      for (const [end, ended] of ends.entries()) {
        const id = `call-${start}-${end}`;
        const memo: CallMemo = {};
        await store.calls.save({ ...running, id }, memo);
        await store.calls.save({ ...ended, id }, memo);
        assertEqual(await store.calls.load(id), { ...ended, id }, `the record ${id}`);
      }
    }
  },

  "returns no call that was never saved": async ({ store }) => {
    assertEqual(await store.calls.load("nobody"), undefined, "an unknown id");
    assertEqual(await store.calls.list({ limit: 10 }), [], "the list of an empty store");
  },

  "replaces a call as it goes from pending to running to success": async ({ store }) => {
    for (const record of [{ ...RUNNING, status: "pending" } as const, RUNNING, SUCCEEDED]) {
      await store.calls.save(record);
      assertEqual(await store.calls.load(record.id), record, `the record as ${record.status}`);
    }
    assertEqual((await store.calls.list({ limit: 10 })).length, 1, "rows for one call");
  },

  "never changes a call that has ended": async ({ store }) => {
    for (const ended of [SUCCEEDED, FAILED]) {
      await store.calls.save(ended);
      for (const status of ["pending", "running", "success", "error"] as const) {
        await store.calls.save({ ...RUNNING, id: ended.id, status, error: "rewritten" });
      }
      assertEqual(await store.calls.load(ended.id), ended, `the ended record ${ended.id}`);
    }
  },

  "records the time of a late answer for a failed call, and changes nothing else": async ({ store }) => {
    const at = "2026-08-01T10:00:05.000Z";
    for (const record of [SUCCEEDED, FAILED, { ...RUNNING, id: "call-3" }]) {
      await store.calls.save(record);
      await store.calls.noteLateAnswer(record.id, at);
      const expected = record === FAILED ? { ...record, lateAnswerAt: at } : record;
      assertEqual(await store.calls.load(record.id), expected, `the record ${record.id}`);
    }
    await store.calls.noteLateAnswer("nobody", at);
    assertEqual((await store.calls.list({ limit: 10 })).length, 3, "rows");
  },

  "keeps a copy: later changes to the caller's record have no effect": async ({ store }) => {
    const cities = ["Oslo"];
    const saving = store.calls.save({ ...RUNNING, arguments: { cities } });
    cities.push("Rome");
    await saving;
    assertEqual((await store.calls.load(RUNNING.id))?.arguments, { cities: ["Oslo"] }, "the saved arguments");
  },

  "lists newest first, and a call keeps its position when it ends": async ({ store }) => {
    for (const id of ["a", "b", "c"]) await store.calls.save({ ...RUNNING, id });
    await store.calls.save({ ...SUCCEEDED, id: "a" });
    assertEqual(await listIds(store, {}), ["c", "b", "a"], "the order");
  },

  "lists by server, tool and status, and no more than the limit": async ({ store }) => {
    await store.calls.save({ ...SUCCEEDED, id: "a" });
    await store.calls.save({ ...RUNNING, id: "b", server: "files" });
    await store.calls.save({ ...RUNNING, id: "c", toolName: "list_customers" });
    await store.calls.save({ ...FAILED, id: "d" });
    assertEqual(await listIds(store, { server: "customers" }), ["d", "c", "a"], "by server");
    assertEqual(await listIds(store, { toolName: "get_customer" }), ["d", "b", "a"], "by tool");
    assertEqual(await listIds(store, { status: "running" }), ["c", "b"], "by status");
    assertEqual(
      await listIds(store, { server: "customers", toolName: "get_customer", status: "error" }),
      ["d"],
      "by all three",
    );
    assertEqual(await listIds(store, { server: "nobody" }), [], "by a server nobody has");
    assertEqual(await listIds(store, { limit: 2 }), ["d", "c"], "with a limit of 2");
    assertEqual(await listIds(store, { limit: 0 }), [], "with a limit of 0");
    assertEqual(await listIds(store, { limit: Number.POSITIVE_INFINITY }), ["d", "c", "b", "a"], "with no limit");
  },

  "completes every one of many concurrent saves": async ({ store }) => {
    const ids = Array.from({ length: 200 }, (_, index) => `call-${index}`);
    await Promise.all(ids.map((id) => store.calls.save({ ...RUNNING, id })));
    assertEqual(await listIds(store, { limit: 1000 }), ids.toReversed(), "the ids");
  },

  "keeps the last of several concurrent saves of one call": async ({ store }) => {
    await Promise.all([
      store.calls.save({ ...RUNNING, status: "pending" }),
      store.calls.save(RUNNING),
      store.calls.save(SUCCEEDED),
      store.calls.save(RUNNING),
    ]);
    assertEqual(await store.calls.load(RUNNING.id), SUCCEEDED, "the record");
  },
};

export const recoveryCases: StoreCases = {
  "ends open calls of dead processes as interrupted, once": async ({ store }) => {
    const running = { ...RUNNING, id: "ran", owner: "dead" };
    const pending = { ...RUNNING, id: "waited", owner: "dead", status: "pending" } as const;
    await store.calls.save(running);
    await store.calls.save(pending);
    assertEqual(await store.calls.recover(), 2, "how many were recovered");
    const ended = { status: "error", ending: "interrupted", completedAt: "2026-08-01T12:00:00.000Z" };
    assertEqual(
      await store.calls.load("ran"),
      {
        ...running,
        ...ended,
        error: "The process that made this call ended before the answer came; it may have run.",
        sent: true,
      },
      "the call that was running",
    );
    assertEqual(
      await store.calls.load("waited"),
      {
        ...pending,
        ...ended,
        error: "The process that made this call ended before the call was made.",
        sent: false,
      },
      "the call that was pending",
    );
    assertEqual(await store.calls.recover(), 0, "how many were recovered the second time");
  },

  "leaves calls of live processes, its own calls and ended calls alone": async ({ store }) => {
    const untouched: readonly CallRecord[] = [
      { ...RUNNING, id: "of-the-living", owner: "living" },
      { ...RUNNING, id: "pending-of-the-living", owner: "living", status: "pending" },
      { ...RUNNING, id: "mine" },
      { ...SUCCEEDED, id: "succeeded", owner: "dead" },
      { ...FAILED, id: "failed", owner: "dead" },
    ];
    for (const record of untouched) await store.calls.save(record);
    assertEqual(await store.calls.recover(), 0, "how many were recovered");
    for (const record of untouched) {
      assertEqual(await store.calls.load(record.id), record, `the record ${record.id}`);
    }
  },
};

export async function listIds(store: Store, query: Partial<CallQuery>): Promise<readonly string[]> {
  const records = await store.calls.list({ limit: 100, ...query });
  return records.map((record) => record.id);
}

import type { PruneRule, Store } from "../../ports/store.ts";
import { assertEqual } from "./contract.ts";
import { FAILED, listIds, RUNNING, SUCCEEDED } from "./store-contract-calls.ts";
import type { StoreCases } from "./store-contract-case.ts";

const KEEP_ALL: PruneRule = { keepAtMost: 1_000_000, keepBytes: 1_000_000_000 };
const SINCE_JUNE: PruneRule = {
  ...KEEP_ALL,
  young: { from: "2026-06-01T00:00:00.000Z", until: "2026-12-01T00:00:00.000Z" },
};

function day(date: string): string {
  return new Date(`2026-${date}`).toISOString();
}

async function saveAll(store: Store, startedAt: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, date] of Object.entries(startedAt))
    await store.calls.save({ ...SUCCEEDED, id, startedAt: day(date) });
}

export const pruneCases: StoreCases = {
  "removes ended calls that are too old, never open ones": async ({ store }) => {
    const old = day("05-01");
    await store.calls.save({ ...SUCCEEDED, id: "old", startedAt: old });
    await store.calls.save({ ...RUNNING, id: "old-and-running", startedAt: old });
    await store.calls.save({ ...RUNNING, id: "old-and-pending", startedAt: old, status: "pending" });
    await store.calls.save({ ...FAILED, id: "old-and-failed", startedAt: old });
    for (let index = 1; index <= 12; index += 1) await store.calls.save({ ...SUCCEEDED, id: `young-${index}` });
    assertEqual(await store.calls.prune(SINCE_JUNE), 2, "how many were removed");
    const left = (await listIds(store, {})).slice(-3);
    assertEqual(left, ["young-1", "old-and-pending", "old-and-running"], "what is left");
    assertEqual(await store.calls.prune(SINCE_JUNE), 0, "how many were removed the second time");
    assertEqual(await store.calls.prune(KEEP_ALL), 0, "how many were removed whatever their age");
  },

  "F4 removes no more than a quarter of all calls for their age at a time": async ({ store }) => {
    for (let index = 1; index <= 10; index += 1) await saveAll(store, { [`old-${index}`]: "05-01" });
    await saveAll(store, { young: "07-01" });
    assertEqual(await store.calls.prune(SINCE_JUNE), 3, "how many of 11 were removed");
    assertEqual(await store.calls.prune(SINCE_JUNE), 2, "how many of 8 were removed");
    assertEqual((await listIds(store, {})).at(-1), "old-6", "the oldest that is left");
  },

  "F4 takes a call dated in the future neither for a young one nor for an old one": async ({ store }) => {
    await saveAll(store, { old: "05-01" });
    await store.calls.save({ ...SUCCEEDED, id: "future", startedAt: "2028-05-02T00:00:00.000Z" });
    await saveAll(store, {
      "old-too": "05-03",
      a: "07-01",
      b: "07-01",
      c: "07-01",
      d: "07-01",
      e: "07-01",
      f: "07-01",
    });
    assertEqual(await store.calls.prune(SINCE_JUNE), 2, "how many were removed");
    assertEqual(await listIds(store, {}), ["f", "e", "d", "c", "b", "a", "future"], "what is left");
  },

  "F4 removes no call under a clock that is behind all of them but one": async ({ store }) => {
    await saveAll(store, { a: "07-01", b: "07-02", c: "07-03" });
    await store.calls.save({ ...SUCCEEDED, id: "past", startedAt: "1970-01-01T00:00:05.000Z" });
    const young = { from: "1970-01-01T00:00:00.000Z", until: "1970-01-02T00:00:00.000Z" };
    assertEqual(await store.calls.prune({ ...KEEP_ALL, young }), 0, "how many were removed");
  },

  "removes the oldest ended calls when there are too many, never open ones": async ({ store }) => {
    await store.calls.save({ ...RUNNING, id: "running" });
    for (const id of ["a", "b", "c", "d"]) await store.calls.save({ ...SUCCEEDED, id });
    const rule = { ...KEEP_ALL, keepAtMost: 3 };
    assertEqual(await store.calls.prune(rule), 1, "how many were removed");
    assertEqual(await listIds(store, {}), ["d", "c", "b", "running"], "what is left");
    assertEqual(await store.calls.prune({ ...rule, keepAtMost: 0 }), 3, "how many were removed to keep none");
    assertEqual(await listIds(store, {}), ["running"], "what is left of all");
    await store.calls.save({ ...SUCCEEDED, id: "running" });
    assertEqual((await store.calls.load("running"))?.status, "success", "the call that was running");
  },

  "F10 removes the oldest ended calls when all together are too large, never open ones or the newest": async ({
    store,
  }) => {
    const result = { content: [{ type: "text", text: "x".repeat(100_000) }], isError: false };
    await store.calls.save({ ...RUNNING, id: "running", arguments: { text: "x".repeat(100_000) } });
    for (let index = 1; index <= 20; index += 1) await store.calls.save({ ...SUCCEEDED, id: `call-${index}`, result });
    assertEqual(await store.calls.prune({ ...KEEP_ALL, keepBytes: 3_000_000 }), 0, "how many were removed of enough");
    assertEqual(await store.calls.prune({ ...KEEP_ALL, keepBytes: 1_200_000 }), 10, "how many were removed");
    assertEqual((await listIds(store, {})).slice(-2), ["call-11", "running"], "the oldest that are left");
    assertEqual(await store.calls.prune({ ...KEEP_ALL, keepBytes: 1_200_000 }), 0, "how many were removed after that");
    assertEqual(await store.calls.prune({ ...KEEP_ALL, keepBytes: 50_000 }), 9, "how many were removed to keep little");
    assertEqual(await listIds(store, {}), ["call-20", "running"], "what is left of all");
  },

  "saves while it prunes, and prunes many": async ({ store }) => {
    const ids = Array.from({ length: 1_200 }, (_, index) => `call-${index}`);
    await Promise.all(ids.map((id) => store.calls.save({ ...SUCCEEDED, id })));
    const [removed] = await Promise.all([
      store.calls.prune({ ...KEEP_ALL, keepAtMost: 0 }),
      store.calls.save({ ...RUNNING, id: "meanwhile" }),
    ]);
    assertEqual(removed, 1_200, "how many were removed");
    assertEqual(await listIds(store, {}), ["meanwhile"], "what is left");
  },

  "F4 finds the newest call before a time": async ({ store }) => {
    assertEqual(await store.calls.newestBefore(day("12-01")), undefined, "in an empty log");
    for (let month = 1; month <= 9; month += 1) {
      await saveAll(store, { [`${month}-a`]: `0${month}-01`, [`${month}-b`]: `0${month}-15` });
    }
    assertEqual(await store.calls.newestBefore(day("12-01")), day("09-15"), "before a later time");
    assertEqual(await store.calls.newestBefore(day("09-15")), day("09-01"), "before the newest");
    assertEqual(await store.calls.newestBefore(day("03-10")), day("03-01"), "before a time in between");
    assertEqual(await store.calls.newestBefore(day("01-02")), day("01-01"), "before all but the first");
    assertEqual(await store.calls.newestBefore(day("01-01")), undefined, "before all");
  },
};

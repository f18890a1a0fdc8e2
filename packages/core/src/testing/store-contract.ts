import type { CallRecord } from "../domain/call.ts";
import type { Store } from "../ports/store.ts";
import { assertEqual, assertRejects, assertThat, type ContractCase } from "./contract.ts";
import type { StoreCases, StoreContractOptions, StoreUnderTest } from "./store-contract-case.ts";
import { embeddingCases } from "./store-contract-embeddings.ts";
import { GPT, gptCases } from "./store-contract-gpts.ts";
import { GRANT, grantCases } from "./store-contract-grants.ts";
import { numbered, SESSION, sessionCases } from "./store-contract-sessions.ts";

export type { StoreContractOptions, StoreUnderTest } from "./store-contract-case.ts";

type CreateStore = (options: StoreContractOptions) => Promise<StoreUnderTest>;

const OPTIONS: StoreContractOptions = {
  owner: "mine",
  isOwnerAlive: (owner) => owner === "living",
  now: () => Date.UTC(2026, 7, 1, 12),
};

/** Every case works on a fresh, empty store. */
export function storeContract(create: CreateStore): readonly ContractCase[] {
  const cases: StoreCases = {
    ...callCases,
    ...recoveryCases,
    ...pruneCases,
    ...inventoryCases,
    ...sessionCases,
    ...grantCases,
    ...gptCases,
    ...embeddingCases,
    ...lifetimeCases,
  };
  return Object.entries(cases).map(([name, run]) => ({
    name,
    async run() {
      const bench = await create(OPTIONS);
      try {
        await run(bench);
      } finally {
        await bench.cleanup();
      }
    },
  }));
}

const RUNNING: CallRecord = {
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

const SUCCEEDED: CallRecord = {
  ...RUNNING,
  status: "success",
  decision: "allow (door): approval mode is auto",
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
};

const FAILED: CallRecord = {
  ...RUNNING,
  id: "call-2",
  status: "error",
  ending: "tool-error",
  error: 'The tool said: "no such customer".',
  result: { content: [{ type: "text", text: "no such customer" }], isError: true },
  completedAt: "2026-08-01T10:00:02.000Z",
};

const callCases: StoreCases = {
  "S1.12 gives every field of a call back as it was saved": async ({ store }) => {
    for (const record of [SUCCEEDED, FAILED, { ...RUNNING, id: "call-3" }]) {
      await store.calls.save(record);
      assertEqual(await store.calls.load(record.id), record, `the record ${record.id}`);
    }
  },

  "knows no call that was never saved": async ({ store }) => {
    assertEqual(await store.calls.load("nobody"), undefined, "an unknown id");
    assertEqual(await store.calls.list({ limit: 10 }), [], "the list of an empty store");
  },

  "replaces a call while it goes from pending over running to success": async ({ store }) => {
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

  "takes the time of a late answer for a call that failed, and nothing else with it": async ({ store }) => {
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

  "keeps a copy: what the caller does to the record afterwards does not count": async ({ store }) => {
    const cities = ["Oslo"];
    const saving = store.calls.save({ ...RUNNING, arguments: { cities } });
    cities.push("Rome");
    await saving;
    assertEqual((await store.calls.load(RUNNING.id))?.arguments, { cities: ["Oslo"] }, "the saved arguments");
  },

  "lists newest first, and a call keeps its place when it ends": async ({ store }) => {
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

  "lands every one of many saves at once": async ({ store }) => {
    const ids = Array.from({ length: 200 }, (_, index) => `call-${index}`);
    await Promise.all(ids.map((id) => store.calls.save({ ...RUNNING, id })));
    assertEqual(await listIds(store, { limit: 1000 }), ids.toReversed(), "the ids");
  },

  "keeps the last of several saves of one call made at once": async ({ store }) => {
    await Promise.all([
      store.calls.save({ ...RUNNING, status: "pending" }),
      store.calls.save(RUNNING),
      store.calls.save(SUCCEEDED),
      store.calls.save(RUNNING),
    ]);
    assertEqual(await store.calls.load(RUNNING.id), SUCCEEDED, "the record");
  },
};

const recoveryCases: StoreCases = {
  "ends open calls of the dead as interrupted, once": async ({ store }) => {
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
      },
      "the call that was running",
    );
    assertEqual(
      await store.calls.load("waited"),
      { ...pending, ...ended, error: "The process that made this call ended before the call was made." },
      "the call that was pending",
    );
    assertEqual(await store.calls.recover(), 0, "how many were recovered the second time");
  },

  "leaves calls of the living, its own calls and ended calls alone": async ({ store }) => {
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

const pruneCases: StoreCases = {
  "removes ended calls that are too old, never open ones": async ({ store }) => {
    const old = "2026-05-01T00:00:00.000Z";
    await store.calls.save({ ...SUCCEEDED, id: "old", startedAt: old });
    await store.calls.save({ ...RUNNING, id: "old-and-running", startedAt: old });
    await store.calls.save({ ...RUNNING, id: "old-and-pending", startedAt: old, status: "pending" });
    await store.calls.save({ ...FAILED, id: "old-and-failed", startedAt: old });
    await store.calls.save({ ...SUCCEEDED, id: "young" });
    const rule = { olderThan: "2026-06-01T00:00:00.000Z", keepAtMost: 100 };
    assertEqual(await store.calls.prune(rule), 2, "how many were removed");
    assertEqual(await listIds(store, {}), ["young", "old-and-pending", "old-and-running"], "what is left");
    assertEqual(await store.calls.prune(rule), 0, "how many were removed the second time");
  },

  "removes the oldest ended calls when there are too many, never open ones": async ({ store }) => {
    await store.calls.save({ ...RUNNING, id: "running" });
    for (const id of ["a", "b", "c", "d"]) await store.calls.save({ ...SUCCEEDED, id });
    const rule = { olderThan: "2026-01-01T00:00:00.000Z", keepAtMost: 3 };
    assertEqual(await store.calls.prune(rule), 1, "how many were removed");
    assertEqual(await listIds(store, {}), ["d", "c", "b", "running"], "what is left");
    assertEqual(await store.calls.prune({ ...rule, keepAtMost: 0 }), 3, "how many were removed to keep none");
    assertEqual(await listIds(store, {}), ["running"], "what is left of all");
    await store.calls.save({ ...SUCCEEDED, id: "running" });
    assertEqual((await store.calls.load("running"))?.status, "success", "the call that was running");
  },

  "saves while it prunes, and prunes many": async ({ store }) => {
    const ids = Array.from({ length: 1_200 }, (_, index) => `call-${index}`);
    await Promise.all(ids.map((id) => store.calls.save({ ...SUCCEEDED, id })));
    const [removed] = await Promise.all([
      store.calls.prune({ olderThan: "2026-12-01T00:00:00.000Z", keepAtMost: 1_000 }),
      store.calls.save({ ...RUNNING, id: "meanwhile" }),
    ]);
    assertEqual(removed, 1_200, "how many were removed");
    assertEqual(await listIds(store, {}), ["meanwhile"], "what is left");
  },
};

const inventoryCases: StoreCases = {
  "gives the inventory of a server back as it was saved": async ({ store }) => {
    const inventory = {
      scope: "agent",
      server: "customers",
      era: "modern",
      tools: [
        { name: "list_customers", fingerprint: "f2" },
        { name: "get_customer", fingerprint: "f1" },
      ],
    } as const;
    await store.inventory.save(inventory);
    assertEqual(await store.inventory.load("agent", "customers"), inventory, "the inventory");
  },

  "knows no inventory of a server never saved, and tells it from an empty one": async ({ store }) => {
    await store.inventory.save({ scope: "agent", server: "empty", tools: [] });
    assertEqual(await store.inventory.load("agent", "empty"), { scope: "agent", server: "empty", tools: [] }, "empty");
    assertEqual(await store.inventory.load("agent", "customers"), undefined, "an unknown server");
    assertEqual(await store.inventory.load("session", "empty"), undefined, "the same key in another scope");
  },

  "replaces a server's inventory as a whole, and only that server's": async ({ store }) => {
    const other = {
      scope: "app",
      server: "customers",
      era: "legacy",
      tools: [{ name: "a", fingerprint: "x" }],
    } as const;
    const next = { scope: "agent", server: "customers", tools: [{ name: "b", fingerprint: "2" }] };
    await store.inventory.save(other);
    await store.inventory.save({
      ...next,
      era: "modern",
      tools: [
        { name: "a", fingerprint: "1" },
        { name: "b", fingerprint: "1" },
      ],
    });
    await store.inventory.save(next);
    assertEqual(await store.inventory.load("agent", "customers"), next, "the replaced inventory");
    assertEqual(await store.inventory.load("app", "customers"), other, "the other server's inventory");
  },
};

const MESSAGES = numbered(SESSION.id, [
  { role: "user", parts: [{ type: "text", text: "Who is customer 7?" }] },
  { role: "assistant", parts: [{ type: "text", text: "Ada." }] },
]);

const lifetimeCases: StoreCases = {
  "refuses saves after it was closed, and closes twice without complaint": async ({ store }) => {
    await store.sessions.save(SESSION);
    await store.close();
    await store.close();
    const saves = {
      "a call": store.calls.save(RUNNING),
      "a session": store.sessions.save(SESSION),
      "a message": store.sessions.append(MESSAGES),
      "an answer": store.grants.save(GRANT),
      "a GPT": store.gpts.save(GPT),
    };
    const refusals = Object.entries(saves).map(([what, save]) => assertRejects(save, `saving ${what} after close`));
    for (const error of await Promise.all(refusals)) assertThat(error instanceof Error, "the refusal is an Error");
  },

  "keeps everything over a restart, where it can be reopened": async (bench) => {
    if (!bench.reopen) return;
    const inventory = { scope: "agent", server: "customers", tools: [{ name: "a", fingerprint: "1" }] };
    await bench.store.inventory.save(inventory);
    await bench.store.sessions.save(SESSION);
    const unfinished = [
      bench.store.calls.save(SUCCEEDED),
      bench.store.sessions.append(MESSAGES),
      bench.store.grants.save(GRANT),
      bench.store.gpts.save(GPT),
    ];
    await bench.store.close();
    await Promise.all(unfinished);
    const reopened = await bench.reopen();
    try {
      assertEqual(await reopened.calls.load(SUCCEEDED.id), SUCCEEDED, "the call, saved while closing");
      assertEqual(await reopened.inventory.load("agent", "customers"), inventory, "the inventory");
      assertEqual(await reopened.sessions.list({ limit: 9 }), [SESSION], "the sessions");
      assertEqual(await reopened.sessions.messages(SESSION.id), MESSAGES, "the messages, appended while closing");
      assertEqual(await reopened.grants.list(), [GRANT], "the answers, saved while closing");
      assertEqual(await reopened.gpts.list(), [GPT], "the GPTs, saved while closing");
    } finally {
      await reopened.close();
    }
  },
};

async function listIds(
  store: Store,
  query: { server?: string; toolName?: string; status?: CallRecord["status"]; limit?: number },
): Promise<readonly string[]> {
  const records = await store.calls.list({ limit: 100, ...query });
  return records.map((record) => record.id);
}

import { testMember } from "../test-member.ts";
import { assertEqual, assertRejects, assertThat, type ContractCase } from "./contract.ts";
import { callCases, RUNNING, recoveryCases, SUCCEEDED } from "./store-contract-calls.ts";
import type { StoreCases, StoreContractOptions, StoreUnderTest } from "./store-contract-case.ts";
import { embeddingCases } from "./store-contract-embeddings.ts";
import { GPT, gptCases } from "./store-contract-gpts.ts";
import { GRANT, grantCases } from "./store-contract-grants.ts";
import { CUSTOMERS, inventoryCases } from "./store-contract-inventory.ts";
import { memberCases } from "./store-contract-members.ts";
import { definitionCases, nameCases } from "./store-contract-names.ts";
import { pageCases } from "./store-contract-pages.ts";
import { pruneCases } from "./store-contract-prune.ts";
import { numbered, SESSION, sessionCases } from "./store-contract-sessions.ts";

export type { StoreContractOptions, StoreUnderTest } from "./store-contract-case.ts";

type CreateStore = (options: StoreContractOptions) => Promise<StoreUnderTest>;

const OPTIONS: StoreContractOptions = {
  member: testMember("mine"),
  processes: { look: () => "alive", isOwnerAlive: (owner) => owner === "living" },
  now: () => Date.UTC(2026, 7, 1, 12),
};

/** Every case works on a fresh, empty store. */
export function storeContract(create: CreateStore): readonly ContractCase[] {
  const cases: StoreCases = {
    ...callCases,
    ...recoveryCases,
    ...memberCases,
    ...pruneCases,
    ...pageCases,
    ...inventoryCases,
    ...nameCases,
    ...definitionCases,
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

const MESSAGES = numbered(SESSION.id, [
  { role: "user", parts: [{ type: "text", text: "Who is customer 7?" }] },
  { role: "assistant", parts: [{ type: "text", text: "Ada." }] },
]);

const lifetimeCases: StoreCases = {
  "refuses saves after it was closed, and can be closed twice": async ({ store }) => {
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

  "keeps everything across a restart, if it can be reopened": async (bench) => {
    if (!bench.reopen) return;
    const inventory = { ...CUSTOMERS, tools: [{ name: "a", fingerprint: "1" }] };
    await bench.store.inventory.save(inventory, []);
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
      assertEqual(await reopened.inventory.load(CUSTOMERS), inventory, "the inventory");
      assertEqual(await reopened.sessions.list({ limit: 9 }), [SESSION], "the sessions");
      assertEqual(await reopened.sessions.messages(SESSION.id), MESSAGES, "the messages, appended while closing");
      assertEqual(await reopened.grants.list(), [GRANT], "the answers, saved while closing");
      assertEqual(await reopened.gpts.list(), [GPT], "the GPTs, saved while closing");
    } finally {
      await reopened.close();
    }
  },
};

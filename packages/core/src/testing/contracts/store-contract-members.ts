import type { CallRecord } from "../../domain/call.ts";
import { BEAT_EVERY_MS, type ProcessTable, STALE_AFTER_MS } from "../../ports/members.ts";
import type { Store } from "../../ports/store.ts";
import { StoreError } from "../../ports/store-error.ts";
import { testMember } from "../test-member.ts";
import { assertEqual, assertRejects, assertThat } from "./contract.ts";
import { RUNNING } from "./store-contract-calls.ts";
import type { StoreCases, StoreUnderTest } from "./store-contract-case.ts";
import { GPT } from "./store-contract-gpts.ts";
import { GRANT } from "./store-contract-grants.ts";
import { CUSTOMERS } from "./store-contract-inventory.ts";
import { numbered, SESSION } from "./store-contract-sessions.ts";

const NOON = Date.UTC(2026, 7, 1, 12);
const A_DAY = 24 * 60 * 60 * 1_000;
const MESSAGES = numbered(SESSION.id, [{ role: "user", parts: [{ type: "text", text: "Anybody there?" }] }]);

/** Two processes on the same contents. Each has its own clock, and both see the same processes. */
interface Pair {
  readonly one: Store;
  readonly other: Store;
  readonly clocks: { one: number; other: number };
  /** Sets what the second process sees of the first. */
  see(state: ReturnType<ProcessTable["look"]>): void;
}

/** The first process has started a call, unless `begin` says otherwise. */
function withPair(run: (pair: Pair) => Promise<void>, begin: "a call" | "nothing" = "a call") {
  return async ({ join }: StoreUnderTest) => {
    const clocks = { one: NOON, other: NOON };
    let seen: ReturnType<ProcessTable["look"]> = "elsewhere";
    const processes: ProcessTable = {
      look: ({ id }) => (id === "one" ? seen : "alive"),
      isOwnerAlive: () => false,
    };
    const one = await join({ member: testMember("one"), processes, now: () => clocks.one });
    const other = await join({ member: testMember("other"), processes, now: () => clocks.other });
    const see = (state: typeof seen) => {
      seen = state;
    };
    try {
      if (begin === "a call") await one.calls.save(OF_ONE);
      await run({ one, other, clocks, see });
    } finally {
      await one.close();
      await other.close();
    }
  };
}

const OF_ONE: CallRecord = { ...RUNNING, id: "of-one", owner: "one" };

async function statusOf(store: Store): Promise<string | undefined> {
  const call = await store.calls.load(OF_ONE.id);
  return call?.ending ?? call?.status;
}

async function assertDeclaredDead(write: Promise<unknown>, what: string): Promise<void> {
  const error = await assertRejects(write, what);
  assertThat(
    error instanceof StoreError && error.code === "declared-dead",
    `${what}: refused as of the dead, not ${String(error)}`,
  );
}

export const memberCases: StoreCases = {
  "knows who it writes as": async ({ store }) => assertEqual(store.members.id, "mine", "the member"),

  "leaves a member of another host alone that beat recently": withPair(async ({ one, other, clocks }) => {
    clocks.other = NOON + STALE_AFTER_MS;
    assertEqual(await other.calls.recover(), 0, "how many were recovered");
    await one.calls.save({ ...OF_ONE, status: "success" });
    assertEqual(await statusOf(other), "success", "the call");
  }),

  "declares a member of another host dead that has not beaten for too long": withPair(
    async ({ one, other, clocks }) => {
      clocks.other = NOON + STALE_AFTER_MS + 1;
      assertEqual(await other.calls.recover(), 1, "how many were recovered");
      assertEqual(await statusOf(one), "interrupted", "the call");
      assertEqual(await other.calls.recover(), 0, "how many were recovered the second time");
    },
  ),

  "keeps a member that beats": withPair(async ({ one, other, clocks }) => {
    for (let elapsed = 0; elapsed <= 2 * STALE_AFTER_MS; elapsed += BEAT_EVERY_MS) {
      clocks.one = NOON + elapsed;
      clocks.other = NOON + elapsed;
      await one.members.beat();
    }
    assertEqual(await other.calls.recover(), 0, "how many were recovered");
    assertEqual(await statusOf(other), "running", "the call");
  }),

  "declares a member of this host dead as soon as its process has ended": withPair(async ({ other, see }) => {
    see("dead");
    assertEqual(await other.calls.recover(), 1, "how many were recovered");
    assertEqual(await statusOf(other), "interrupted", "the call");
  }),

  "leaves a member of this host alone while its process runs, however wrong a clock is": withPair(
    async ({ one, other, clocks, see }) => {
      see("alive");
      for (const wrong of [NOON + A_DAY, NOON - A_DAY]) {
        clocks.other = wrong;
        assertEqual(await other.calls.recover(), 0, "how many were recovered");
      }
      clocks.one = NOON - A_DAY;
      await one.members.beat();
      clocks.other = NOON;
      assertEqual(await other.calls.recover(), 0, "how many were recovered after a beat in the past");
      await one.calls.save({ ...OF_ONE, status: "success" });
    },
  ),

  "treats a beat from the future as fresh": withPair(async ({ one, other, clocks }) => {
    clocks.one = NOON + A_DAY;
    await one.members.beat();
    assertEqual(await other.calls.recover(), 0, "how many were recovered");
  }),

  "lets a member that was declared dead read, but not write": withPair(async ({ one, other, see }) => {
    await one.sessions.save(SESSION);
    await one.grants.save(GRANT);
    see("dead");
    await other.calls.recover();
    await assertDeclaredDead(one.calls.save({ ...OF_ONE, status: "success" }), "ending a call");
    await assertDeclaredDead(one.calls.save({ ...OF_ONE, id: "next" }), "beginning a call");
    await assertDeclaredDead(one.calls.noteLateAnswer(OF_ONE.id, "2026-08-01T13:00:00.000Z"), "noting a late answer");
    await assertDeclaredDead(one.sessions.save({ ...SESSION, title: "Another" }), "saving a session");
    await assertDeclaredDead(one.sessions.append(MESSAGES), "adding a message");
    await assertDeclaredDead(one.sessions.remove(SESSION.id), "removing a session");
    await assertDeclaredDead(one.grants.save({ ...GRANT, id: "next" }), "saving an answer");
    await assertDeclaredDead(one.grants.remove(GRANT.id), "removing an answer");
    await assertDeclaredDead(one.gpts.save(GPT), "saving a GPT");
    await assertDeclaredDead(one.gpts.remove(GPT.key), "removing a GPT");
    await assertDeclaredDead(one.inventory.save({ ...CUSTOMERS, tools: [] }, []), "saving an inventory");
    await assertDeclaredDead(one.embeddings.save("model", new Map([["key", [1]]])), "saving embeddings");
    await assertDeclaredDead(one.members.beat(), "beating");
    assertEqual(
      (await other.calls.list({ limit: 9 })).map(({ id }) => id),
      [OF_ONE.id],
      "the calls",
    );
    assertEqual(await statusOf(one), "interrupted", "the call, read by the dead");
    assertEqual(await one.sessions.list({ limit: 9 }), [SESSION], "the sessions");
    assertEqual(await one.sessions.messages(SESSION.id), [], "the messages");
    assertEqual(await one.grants.list(), [GRANT], "the answers");
    assertEqual(await one.gpts.list(), [], "the GPTs");
    assertEqual(await one.inventory.load(CUSTOMERS), undefined, "the inventory");
  }),

  "does not let a member that was declared dead end calls of others": withPair(async ({ one, other, see }) => {
    see("dead");
    await other.calls.recover();
    await other.calls.save({ ...OF_ONE, id: "of-a-stranger", owner: "stranger" });
    await assertDeclaredDead(one.calls.recover(), "recovering");
    assertEqual((await other.calls.load("of-a-stranger"))?.status, "running", "the call of a stranger");
  }),

  "tells a member that was declared dead why, and what to do": withPair(async ({ one, other, see }) => {
    see("dead");
    await other.calls.recover();
    const error = await assertRejects(one.calls.save(OF_ONE), "saving");
    const text = error instanceof Error ? error.message : "";
    assertThat(text.startsWith("Another process took this one for dead"), `what happened: ${text}`);
    assertThat(text.endsWith("restart this process."), `what to do: ${text}`);
  }),

  "also declares a member dead that has no open calls": withPair(async ({ one, other, see }) => {
    await one.calls.save({ ...OF_ONE, status: "success" });
    see("dead");
    assertEqual(await other.calls.recover(), 0, "how many were recovered");
    await assertDeclaredDead(one.gpts.save(GPT), "saving a GPT");
  }),

  "does not add a process that only reads and beats as a member": withPair(async ({ one, other, see }) => {
    await one.members.beat();
    await one.calls.list({ limit: 1 });
    assertEqual(await one.calls.recover(), 0, "how many were recovered");
    see("dead");
    assertEqual(await other.calls.recover(), 0, "how many the other recovered");
    see("alive");
    await one.calls.save(OF_ONE);
    assertEqual(await other.calls.recover(), 0, "how many were recovered after the first write");
  }, "nothing"),

  "removes a member when its store is closed, and ends the calls it left open": withPair(
    async ({ one, other, see }) => {
      see("alive");
      await one.close();
      assertEqual(await other.calls.recover(), 1, "how many were recovered");
      assertEqual(await statusOf(other), "interrupted", "the call");
    },
  ),
};

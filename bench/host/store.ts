import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { openStore } from "../../apps/tacklebox/src/open-store.ts";
import { newTimeOrderedId } from "../../apps/tacklebox/src/time-ordered-id.ts";
import type { Caller, CallMemo, CallRecord } from "../../packages/core/src/index.ts";
import { createDataFolder } from "./governed-engine.ts";

/** Opens a store and makes only the call log's part of each call: two saves, which share commits with other callers. */
export async function openStoreAlone(
  dataRoot: string,
): Promise<{ call(number: number): Promise<void>; close(): Promise<void> }> {
  const { folder, remove } = createDataFolder(dataRoot);
  const opened = await openStore(folder);
  if (opened.kind === "refused") throw new Error(opened.message);
  const { store } = opened;
  return {
    async call(number) {
      const running = toRunning(number, store.members.id);
      const memo: CallMemo = {};
      await store.calls.save(running, memo);
      await store.calls.save(toEnded(running, number), memo);
    },
    async close() {
      await store.close();
      remove();
    },
  };
}

function toRunning(number: number, owner: string): CallRecord {
  return {
    // The same kind of id as the engine's: it determines how many index pages a commit writes.
    id: newTimeOrderedId(),
    scope: "agent",
    server: "everything",
    toolName: "echo",
    shownName: "echo",
    arguments: { message: `hello ${number}` },
    status: "running",
    decision: "policy: nothing asks for an approval",
    startedAt: new Date().toISOString(),
    caller: CALLER,
    owner,
  };
}

/** Shared by all records, as each door shares one. */
const CALLER: Caller = { door: "code" };

function toEnded(running: CallRecord, number: number): CallRecord {
  const result = { content: [{ type: "text", text: `Echo: hello ${number}` }], isError: false };
  const times = { personMs: 0, slotMs: 0, runMs: 1 };
  return { ...running, status: "success", result, completedAt: new Date().toISOString(), times };
}

/** Commits one small row at a time with no other writer: the least that a durable step can cost on this disk. */
export function openBareCommit(dataRoot: string): { commit(): void; close(): void } {
  const { folder, remove } = createDataFolder(dataRoot);
  const database = new DatabaseSync(join(folder, "commits.db"));
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, text)",
  );
  const insert = database.prepare("INSERT INTO rows (text) VALUES (?)");
  const text = JSON.stringify(toEnded(toRunning(1, "owner"), 1));
  return {
    commit: () => void insert.run(text),
    close() {
      database.close();
      remove();
    },
  };
}

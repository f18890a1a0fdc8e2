import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Message, SessionMessage, Store } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { createStore } from "./create-store.ts";
import { openDatabase } from "./open-database.ts";

const session = { id: "s", title: "Session", createdAt: "", updatedAt: "" };
const grant = {
  id: "g",
  verdict: "allow",
  scope: "agent",
  server: "files",
  tool: "read_file",
  fingerprint: "f",
  definition: {},
  createdAt: "",
} as const;
const gpt = { key: "k", name: "", instructions: "", tools: {}, approval: "auto", trustedTools: [] } as const;

function messageOf(text: string, number: number, sessionId = "s"): SessionMessage {
  return { sessionId, number, at: "", message: { role: "user", parts: [{ type: "text", text }] } };
}

describe("conversations in SQLite", () => {
  let folder: TemporaryFolder;
  let file: string;
  let database: DatabaseSyncInstance;
  let store: Store;

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    file = folder.at("tacklebox.db");
    database = await openDatabase({ file, synchronous: "FULL", busyTimeoutMs: 20 });
    store = createStore(database, { file, ...testMembership(), busyTimeoutMs: 20 });
    await store.sessions.save(session);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await store.close();
    await folder[Symbol.asyncDispose]();
  });

  const numbers = async (id = "s") => (await store.sessions.messages(id)).map(({ number }) => number);

  it("share one commit with calls saved in the same event loop turn", async () => {
    const exec = vi.spyOn(database, "exec");
    await Promise.all([
      store.calls.save(sampleCall()),
      store.sessions.append([messageOf("a", 1)]),
      store.grants.save(grant),
      store.gpts.save(gpt),
    ]);
    expect(exec.mock.calls.flat()).toEqual(["BEGIN IMMEDIATE", "SAVEPOINT work", "RELEASE work", "COMMIT"]);
  });

  it("do not report a message as saved before another connection can read it", async () => {
    const other = new DatabaseSync(file);
    const count = other.prepare("SELECT count(*) AS count FROM session_messages");
    const appending = store.sessions.append([messageOf("a", 1), messageOf("b", 2)]);
    expect(count.get()).toMatchObject({ count: 0 });
    await appending;
    expect(count.get()).toMatchObject({ count: 2 });
    other.close();
  });

  it("report that another writer was faster, and keep other writes of the same commit", async () => {
    await store.sessions.append([messageOf("first", 1)]);
    const [refused, ...others] = await Promise.allSettled([
      store.sessions.append([messageOf("b", 2), messageOf("again", 1)]),
      store.sessions.append([messageOf("second", 2)]),
      store.calls.save(sampleCall()),
    ]);
    expect(refused).toEqual({
      status: "rejected",
      reason: expect.objectContaining({
        code: "conflict",
        message:
          'Session "s" has a message 1 already: something else wrote to it in the meantime. ' +
          "Nothing was added; open the session again to go on after that message.",
      }),
    });
    expect(others.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await store.sessions.messages("s")).toEqual([messageOf("first", 1), messageOf("second", 2)]);
    expect((await store.calls.load("call-1"))?.id).toBe("call-1");
  });

  it("report that a session is gone", async () => {
    await store.sessions.remove("s");
    await expect(store.sessions.append([messageOf("a", 1)])).rejects.toMatchObject({
      code: "conflict",
      message: 'Session "s" does not exist, or was removed in the meantime. Nothing was added; begin a new session.',
    });
  });

  it("keep nothing of a write that did not fit on a full disk, and work again once there is space", async () => {
    const pages = database.prepare("PRAGMA page_count", { returnArrays: true }).get()[0];
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const append = () => store.sessions.append([messageOf("small", 1), messageOf("x".repeat(1_000_000), 2)]);
    await expect(append()).rejects.toMatchObject({
      code: "write-failed",
      message: `Could not write to ${file}: the disk is full; free some space and try again.`,
    });
    expect(await numbers()).toEqual([]);
    database.exec("PRAGMA max_page_count = 1000000");
    await append();
    expect(await numbers()).toEqual([1, 2]);
  });

  it("are removed whole or not at all", async () => {
    await store.sessions.append([messageOf("a", 1)]);
    await store.grants.save({ ...grant, sessionId: "s" });
    database.exec("CREATE TRIGGER refuse BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END");
    await expect(store.sessions.remove("s")).rejects.toMatchObject({ code: "write-failed" });
    expect([await numbers(), (await store.grants.list()).length]).toEqual([[1], 1]);
    database.exec("DROP TRIGGER refuse");
    expect(await store.sessions.remove("s")).toBe(true);
    expect([await numbers(), (await store.grants.list()).length]).toEqual([[], 0]);
  });

  it("name a damaged row, and read the others", async () => {
    await store.sessions.append([messageOf("a", 1), messageOf("b", 2)]);
    await store.sessions.save({ ...session, id: "other" });
    await store.sessions.append([messageOf("c", 1, "other")]);
    await store.grants.save(grant);
    await store.gpts.save(gpt);
    database.exec(`
      UPDATE session_messages SET message = '{' WHERE session_id = 's' AND number = 2;
      UPDATE sessions SET value = '{"id":"s"}' WHERE id = 's';
      UPDATE grants SET value = replace(value, 'allow', 'perhaps');
      UPDATE gpts SET value = replace(value, 'auto', 'never');
    `);
    const damaged = (what: string, table: string) => ({
      code: "damaged-row",
      message:
        `${what} cannot be read: its row is damaged. ` +
        `Restore the file from a backup, or delete that row from the table ${table}.`,
    });
    await expect(numbers()).rejects.toMatchObject(damaged('Message 2 of the session "s"', "session_messages"));
    await expect(store.sessions.load("s")).rejects.toMatchObject(damaged('The session "s"', "sessions"));
    await expect(store.grants.list()).rejects.toMatchObject(damaged('The grant "g"', "grants"));
    await expect(store.gpts.list()).rejects.toMatchObject(damaged('The GPT "k"', "gpts"));
    expect([(await store.sessions.load("other"))?.id, await numbers("other")]).toEqual(["other", [1]]);
  });

  const call = { type: "call", id: "m1", tool: "t", arguments: {} } as const;
  const result = { id: "m1", tool: "t", text: "", isError: false } as const;
  it.each<readonly [string, unknown]>([
    ["no object", null],
    ["an unknown role", { role: "system", parts: [] }],
    ["no parts", { role: "user" }],
    ["a thought of a person", { role: "user", parts: [{ type: "thought", text: "" }] }],
    ["a call of a person", { role: "user", parts: [call] }],
    ["an unknown part", { role: "assistant", parts: [{ type: "video", text: "" }] }],
    ["an image of the model", { role: "assistant", parts: [{ type: "image", mimeType: "image/png", data: "" }] }],
    ["a text that is not a string", { role: "assistant", parts: [{ type: "text", text: 1 }] }],
    ["an invalid vendor mark", { role: "assistant", parts: [{ type: "text", text: "", vendor: "x" }] }],
    ["arguments that are not an object", { role: "assistant", parts: [{ ...call, arguments: [] }] }],
    ["a call without a tool", { role: "assistant", parts: [{ ...call, tool: undefined }] }],
    ["a result whose isError is not a boolean", { role: "tool", results: [{ ...result, isError: "no" }] }],
    ["an invalid image", { role: "tool", results: [{ ...result, images: [{ type: "image" }] }] }],
    ["an invalid call id", { role: "tool", results: [{ ...result, callId: 1 }] }],
  ])("refuse as a message what has %s", async (_what, damage) => {
    await store.sessions.append([messageOf("a", 1)]);
    database.prepare("UPDATE session_messages SET message = ?").run(JSON.stringify(damage));
    await expect(numbers()).rejects.toMatchObject({ code: "damaged-row" });
  });

  it("accept a message that has only the required members", async () => {
    const messages: readonly Message[] = [
      { role: "assistant", parts: [call] },
      { role: "tool", results: [result] },
    ];
    const appended = messages.map((message, index) => ({ sessionId: "s", number: index + 1, at: "", message }));
    await store.sessions.append(appended);
    expect(await store.sessions.messages("s")).toStrictEqual(appended);
  });
});

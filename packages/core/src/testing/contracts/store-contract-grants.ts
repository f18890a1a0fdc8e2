import type { Grant } from "../../domain/grant.ts";
import { assertEqual } from "./contract.ts";
import { ODD_TEXT, type StoreCases } from "./store-contract-case.ts";
import { SESSION } from "./store-contract-sessions.ts";

export const GRANT: Grant = {
  id: "grant-1",
  verdict: "allow",
  scope: "agent",
  server: "files",
  tool: "read_file",
  fingerprint: "f1",
  definition: { name: "read_file", description: ODD_TEXT, inputSchema: { type: "object", required: ["path"] } },
  createdAt: "2026-08-01T10:00:00.000Z",
};

const DENIAL: Grant = { ...GRANT, id: "grant-2", verdict: "deny", sessionId: "session-1", reason: ODD_TEXT };

export const grantCases: StoreCases = {
  "returns grants as they were saved, the latest last": async ({ store }) => {
    assertEqual(await store.grants.list(), [], "the answers of an empty store");
    for (const grant of [DENIAL, GRANT]) await store.grants.save(grant);
    assertEqual(await store.grants.list(), [DENIAL, GRANT], "the answers");
  },

  "keeps only the latest grant per tool and session, and the latest permanent one": async ({ store }) => {
    const others: readonly Grant[] = [
      { ...GRANT, id: "other session", sessionId: "session-2" },
      { ...GRANT, id: "other scope", scope: "session" },
      { ...GRANT, id: "other server", server: "more-files" },
      { ...GRANT, id: "other tool", tool: "write_file" },
    ];
    for (const grant of [GRANT, DENIAL, ...others]) await store.grants.save(grant);
    const forGood = { ...GRANT, id: "for good", fingerprint: "f2", definition: {} };
    const forSession: Grant = { ...GRANT, id: "for the session", sessionId: "session-1" };
    await store.grants.save(forGood);
    await store.grants.save(forSession);
    assertEqual(await store.grants.list(), [...others, forGood, forSession], "the answers");
  },

  "distinguishes tools whose names differ only in unusual characters": async ({ store }) => {
    const names = ["a", "a\0", "a\0b", "a\ud83e", "a\uddf0", "a\ufffd", "a\\", "A", "", ODD_TEXT];
    const grants = names.map((tool, index): Grant => ({ ...GRANT, id: `grant-${index}`, tool }));
    for (const grant of grants) await store.grants.save(grant);
    assertEqual(await store.grants.list(), grants, "all answers");
    for (const [index, name] of names.entries())
      assertEqual(await store.grants.list({ scope: "agent", server: "files", name }), [grants[index]], "those of one");
  },

  "lists the grants for one tool": async ({ store }) => {
    const others = [
      { ...GRANT, id: "other scope", scope: "session" },
      { ...GRANT, id: "other server", server: "more-files" },
      { ...GRANT, id: "other tool", tool: "write_file" },
    ];
    for (const grant of [DENIAL, ...others, GRANT]) await store.grants.save(grant);
    const { scope, server, tool: name } = GRANT;
    assertEqual(await store.grants.list({ scope: "agent", server, name }), [DENIAL, GRANT], `those of ${scope}`);
    assertEqual(await store.grants.list({ scope: "agent", server, name: "nothing" }), [], "those of no tool");
  },

  "removes a grant by its id, once": async ({ store }) => {
    for (const grant of [GRANT, DENIAL]) await store.grants.save(grant);
    assertEqual(await store.grants.remove(GRANT.id), true, "the first time");
    assertEqual(await store.grants.remove(GRANT.id), false, "the second time");
    assertEqual(await store.grants.list(), [DENIAL], "what is left");
  },

  "removes the grants of a session with the session, and no others": async ({ store }) => {
    const other = { ...DENIAL, id: "grant-3", sessionId: "session-2" };
    await store.sessions.save(SESSION);
    for (const grant of [GRANT, DENIAL, { ...DENIAL, id: "grant-4", tool: "write_file" }, other])
      await store.grants.save(grant);
    await store.sessions.remove(SESSION.id);
    assertEqual(await store.grants.list(), [GRANT, other], "what is left");
  },

  "keeps grants for a session that was never saved, and removes them with its id": async ({ store }) => {
    await store.grants.save(DENIAL);
    assertEqual(await store.grants.list(), [DENIAL], "the answers");
    assertEqual(await store.sessions.remove("session-1"), false, "whether there was a session");
    assertEqual(await store.grants.list(), [], "the answers afterwards");
  },

  "keeps and returns copies of grants": async ({ store }) => {
    const definition: Record<string, string> = { name: "as saved" };
    const saving = store.grants.save({ ...GRANT, definition });
    definition.name = "changed";
    await saving;
    for (const time of ["first", "second"]) {
      const [read] = await store.grants.list();
      assertEqual(read?.definition, { name: "as saved" }, `the definition, read the ${time} time`);
      Object.assign(read?.definition ?? {}, { name: "changed by a reader" });
    }
  },
};

import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createFilledLog } from "../support/filled-log.ts";
import { parsed } from "../support/toolbox-file.ts";

/** Each is done to a log of six calls. */
const TAMPERING: readonly (readonly [what: string, sql: string, expected: readonly object[]])[] = [
  [
    "edits a result",
    "UPDATE calls SET result = replace(result, 'noted', 'never') WHERE seq = 3",
    [{ kind: "changed", server: "ledger", tool: "fast" }],
  ],
  ["edits the arguments", "UPDATE calls SET arguments = '{}' WHERE seq = 2", [{ kind: "changed" }]],
  [
    "makes a success of a failure, or the reverse",
    "UPDATE calls SET status = 'error', ending = 'tool-error' WHERE seq = 4",
    [{ kind: "changed" }],
  ],
  ["claims a late answer", "UPDATE calls SET late_answer_at = started_at WHERE seq = 4", [{ kind: "changed" }]],
  ["removes a call in the middle", "DELETE FROM calls WHERE seq = 3", [{ kind: "missing" }]],
  ["removes the last calls", "DELETE FROM calls WHERE seq > 4", [{ kind: "missing" }, { kind: "missing" }]],
  [
    "swaps the ids of two calls",
    `UPDATE calls SET id = 'x' WHERE seq = 1; UPDATE calls SET id = (SELECT id FROM calls WHERE seq = 2) || '-' WHERE seq = 1;
     UPDATE calls SET id = 'y' WHERE seq = 2; UPDATE calls SET id = rtrim(id, '-') WHERE seq = 1`,
    [{ kind: "missing" }, { kind: "changed" }, { kind: "unrecorded", text: expect.any(String) }],
  ],
  [
    "puts two calls in another order",
    "UPDATE calls SET seq = 100 WHERE seq = 1; UPDATE calls SET seq = 1 WHERE seq = 2; UPDATE calls SET seq = 2 WHERE seq = 100",
    [{ kind: "changed" }, { kind: "changed" }],
  ],
  [
    "adds a call",
    `INSERT INTO calls (id, scope, server, tool_name, shown_name, arguments, status, started_at, owner)
     VALUES ('made-up', 'agent', 'ledger', 'fast', 'fast', '{}', 'success', '2026-08-01T10:00:00.000Z', 'nobody')`,
    [{ kind: "unrecorded", id: "made-up" }],
  ],
  [
    "removes a call with its entry in the chain",
    "DELETE FROM calls WHERE seq = 3; UPDATE call_links SET entries = '' WHERE entries LIKE 'e %'",
    [{ kind: "link" }],
  ],
  ["removes links", "DELETE FROM call_links WHERE seq = 2", [{ kind: "link" }]],
  ["removes the chain", "DELETE FROM call_links", [{ kind: "link" }]],
];

describe("F11: somebody who", () => {
  it.each(TAMPERING)("%s is found by `calls verify`, which says where and exits with 1", async (_, sql, expected) => {
    const log = await createFilledLog(6);
    expect(await log.verify()).toMatchObject({ exit: 0, ok: true, verified: 6, broken: [] });
    log.tamper(sql);
    const report = await log.verify();
    expect(report).toMatchObject({ exit: 1, ok: false });
    for (const found of expected) expect(report.broken).toContainEqual(expect.objectContaining(found));
  });

  it("cuts off the end of both is found with a head that was kept elsewhere", async () => {
    const log = await createFilledLog(3);
    const early = Object(await log.verify()).head.hash;
    await log.call(["later"]);
    const { hash } = Object(await log.verify()).head;
    expect(await log.verify("--expect", early)).toMatchObject({ exit: 0, expected: "found" });
    log.tamper("DELETE FROM calls WHERE seq = 4; DELETE FROM call_links WHERE seq = (SELECT max(seq) FROM call_links)");
    expect(await log.verify("--expect", early)).toMatchObject({ exit: 0, expected: "found" });
    const { code, stdout } = await log.run("calls", "verify", "--expect", hash);
    expect([code, stdout]).toEqual([1, expect.stringContaining("The expected hash is not in the chain")]);
  });
});

describe("F11: what is no tampering:", () => {
  it("calls that `keep_at_most` removed are counted as removed, not taken for broken", async () => {
    const log = await createFilledLog(8, { calls: { keep_at_most: 3 } });
    await log.call(["one more"]);
    await log.call(["and another"]);
    const report = await log.verify();
    expect(report).toMatchObject({ exit: 0, ok: true });
    expect(Number(report.verified) + Number(report.removed)).toBe(10);
    expect(Number(report.removed)).toBeGreaterThan(0);
  });

  it("a report for people names the call, when it was made, and its tool", async () => {
    const log = await createFilledLog(2);
    const [call] = Object(parsed((await log.run("calls", "--json")).stdout)).calls;
    log.tamper(`UPDATE calls SET decision = 'somebody else said yes' WHERE id = '${call.id}'`);
    const { code, stdout } = await log.run("calls", "verify");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        `^BROKEN  ${call.id} \\(ledger fast, ${call.started_at}\\): Its row has changed since it was recorded at `,
      ),
    );
    expect(stdout).toContain("\n1 call verified: unchanged since they ended.\n");
    expect(stdout).toMatch(/\nHead: [0-9a-f]{64} \(link /);
  });
});

describe("F11: a database of 0 bytes", () => {
  it("is damage, not a new log", async () => {
    const log = await createFilledLog(2);
    await writeFile(log.file, "");
    for (const args of [["calls"], ["check", "--config", log.config], ["doctor", "--config", log.config]]) {
      const { code, stdout, stderr } = await log.run(...args);
      expect([args, code]).toEqual([args, 1]);
      expect(stdout + stderr).toContain(`${log.file} is damaged: it is empty`);
      expect(stdout + stderr).toContain("tacklebox doctor --repair");
    }
  });
});

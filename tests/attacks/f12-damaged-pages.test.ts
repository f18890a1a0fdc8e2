import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { damagePages } from "../support/damage.ts";
import { createFilledLog, type FilledLog } from "../support/filled-log.ts";
import { startProgram } from "../support/program.ts";
import { parsed } from "../support/toolbox-file.ts";

/** The pages of the table `calls` that hold rows. */
function pagesOfCalls(file: string): readonly number[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows: readonly { readonly pageno: number }[] = database
    .prepare("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf' ORDER BY path")
    .all();
  database.close();
  return rows.map(({ pageno }) => pageno);
}

async function markers(log: FilledLog): Promise<readonly string[]> {
  const { stdout } = await log.run("calls", "--json", "--limit", "10000");
  const calls: readonly { readonly arguments: { readonly marker: string } }[] = Object(parsed(stdout)).calls;
  return calls.map((call) => call.arguments.marker);
}

function damagedFilesOf(log: FilledLog): readonly string[] {
  return readdirSync(log.data).filter((name) => name.includes(".damaged-") && !name.endsWith("-wal"));
}

describe("F12: a database with damaged pages", () => {
  it("is reported as damage by every command, with what to do, and never as a stack trace", async () => {
    const log = await createFilledLog(200);
    damagePages(log.file);
    const call = ["call", "ledger", "fast", "--args", '{"marker":"x"}', "--config", log.config];
    const config = ["--config", log.config];
    for (const args of [
      ["calls"],
      ["calls", "verify"],
      call,
      ["check", ...config],
      ["doctor", ...config],
      ["tools", ...config],
      ["sessions", "list"],
      ["grants", "list"],
      ["gpt", "list"],
      ["secret", "list"],
      ["secret", "remove", "x"],
    ]) {
      const { code, stdout, stderr } = await log.run(...args);
      const said = stdout + stderr;
      expect([args, code]).toEqual([args, 1]);
      expect(said, args.join(" ")).toContain(`${log.file} is damaged`);
      expect(said, args.join(" ")).toContain("tacklebox doctor --repair");
      expect(said, args.join(" ")).not.toMatch(/internal error|\n\s+at /);
    }
  });

  it("is repaired: what can be read is kept, the rest is named, and the damaged file stays beside it", async () => {
    const log = await createFilledLog(300);
    const pages = pagesOfCalls(log.file);
    expect(pages.length).toBeGreaterThan(10);
    const [first = 0, middle = 0, last = 0] = [pages[0], pages[5], pages.at(-1)];
    damagePages(log.file, first, middle, last);
    expect((await log.run("doctor", "--config", log.config)).stdout).toContain("is damaged: its structure is broken");
    const { code, stdout } = await log.run("doctor", "--repair");
    expect(code).toBe(0);
    expect(stdout).toMatch(/A new .*tacklebox\.db holds what could be read: \d+ calls/);
    expect(stdout).toMatch(/\d+ calls known to be lost\. Not all could be read of: calls\./);
    const report = await log.verify();
    const { kept, lost } = Object(report.repaired);
    expect(report).toMatchObject({ exit: 0, before: kept, broken: [] });
    expect(kept + lost).toBe(300);
    expect(lost).toBeLessThan(60);
    expect(damagedFilesOf(log)).toHaveLength(1);
    await log.call(["goes on"]);
    expect(await log.verify()).toMatchObject({ exit: 0, verified: 1, before: kept });
    expect((await log.run("doctor", "--repair")).stdout).toContain("there is nothing to repair");
  });

  it("F11: is repaired without hiding what was changed before, and the head kept elsewhere is still known", async () => {
    const log = await createFilledLog(300);
    log.tamper("UPDATE calls SET result = '{}' WHERE seq = 1");
    const { hash } = Object(await log.verify()).head;
    damagePages(log.file, pagesOfCalls(log.file)[5] ?? 0);
    const { code, stdout } = await log.run("doctor", "--repair");
    expect([code, stdout]).toEqual([1, expect.stringContaining("1 call was kept that is not as it was recorded")]);
    expect(await log.verify("--expect", hash)).toMatchObject({
      exit: 0,
      expected: "before-repair",
      repaired: { changed: 1, head: hash },
    });
    const known = await log.run("calls", "verify", "--expect", hash);
    expect(known.stdout).toContain("Of those kept, 1 was not as recorded.");
    expect(known.stdout).toContain("The expected hash was the head of the chain before it");
    const unknown = await log.run("calls", "verify", "--expect", "f".repeat(64));
    expect([unknown.code, unknown.stdout]).toEqual([
      1,
      expect.stringContaining("or the hash is from before the repair"),
    ]);
  });

  it("is told without a stack trace if a repair cannot go on", async () => {
    const log = await createFilledLog(1);
    writeFileSync(`${log.file}.repair`, "{ torn");
    const { code, stdout, stderr } = await log.run("doctor", "--repair");
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain(`Could not repair ${log.file}: `);
  });

  it("loses nothing to a repair if only its header is damaged", async () => {
    const log = await createFilledLog(20);
    damagePages(log.file, 1);
    const { code, stderr } = await log.run("calls");
    expect([code, stderr]).toEqual([1, expect.stringContaining("is damaged: it is not a database")]);
    expect((await log.run("doctor", "--repair")).stdout).toContain("holds what could be read: 20 calls");
    expect(await log.verify()).toMatchObject({ exit: 0, before: 20, repaired: { kept: 20, lost: 0 } });
  });
});

describe("F11: a database that was emptied or cut off beside its WAL", () => {
  it.each([
    ["emptied", 0],
    ["cut off after its first page", 4096],
  ])("is damage when it is %s, not a new log: the WAL stays, and its calls are brought back", async (_, bytes) => {
    const log = await createFilledLog(60);
    await log.callAndKill();
    expect(statSync(`${log.file}-wal`).size).toBeGreaterThan(0);
    truncateSync(log.file, bytes);
    const walBytes = statSync(`${log.file}-wal`).size;
    const { code, stderr } = await log.run("calls");
    expect([code, stderr]).toEqual([1, expect.stringContaining("tacklebox doctor --repair")]);
    expect(statSync(`${log.file}-wal`).size).toBe(walBytes);
    expect((await log.run("doctor", "--repair")).code).toBe(0);
    const [damaged = ""] = damagedFilesOf(log);
    expect(existsSync(join(log.data, `${damaged}-wal`))).toBe(true);
    expect(await markers(log)).toContain("last");
    await log.call(["afterwards"]);
    expect(await markers(log)).toEqual(expect.arrayContaining(["afterwards", "last"]));
    expect(await log.verify()).toMatchObject({ exit: 0, broken: [] });
  });
});

describe("F12: a database that is gone", () => {
  it.each([
    ["beside its WAL", "it is gone, but "],
    ["while it was repaired", "its repair was interrupted"],
  ])("%s is damage, not a log without calls", async (how, text) => {
    const log = await createFilledLog(2);
    await log.callAndKill();
    rmSync(log.file);
    if (how !== "beside its WAL") {
      rmSync(`${log.file}-wal`);
      writeFileSync(`${log.file}.repair`, "{}");
    }
    for (const args of [["calls"], ["calls", "verify"], ["sessions", "list"]]) {
      const { code, stderr } = await log.run(...args);
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(`${log.file} is damaged: ${text}`)]);
    }
  });
});

describe("F12: a repair", () => {
  it("is refused while another process uses the file", async () => {
    const log = await createFilledLog(200);
    const program = await startProgram(["call", "--stdin", "--config", log.config], {
      env: { TACKLEBOX_DATA: log.data },
    });
    await program.waitForStderr((line) => line.includes("Watching"));
    const [page = 0] = pagesOfCalls(log.file);
    damagePages(log.file, page);
    const { code, stdout } = await log.run("doctor", "--repair");
    expect([code, stdout]).toEqual([1, expect.stringContaining("Another process uses")]);
    expect(damagedFilesOf(log)).toEqual([]);
    program.endStdin();
    await program.exit;
  });
});

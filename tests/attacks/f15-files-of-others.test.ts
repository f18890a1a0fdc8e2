import { chmodSync, chownSync, mkdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFilledLog } from "../support/filled-log.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/workspace.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("F15: the data folder", () => {
  it("and the database are closed if other users could get at them, and `doctor` says so", async () => {
    const log = await createFilledLog(1);
    chmodSync(log.data, 0o777);
    chmodSync(log.file, 0o644);
    const { stdout } = await log.run("doctor", "--config", log.config);
    expect(stdout).toContain(`Other users could replace files in ${log.data} (mode 0777). They no longer can.`);
    expect(stdout).toContain(`${log.file} was open to other users (mode 0644). Only you can open it now`);
    expect([modeOf(log.data), modeOf(log.file)]).toEqual(["755", "600"]);
    expect((await log.run("doctor", "--config", log.config)).stdout).not.toContain("other users");
  });

  it("is logged as it is closed when a call is made", async () => {
    const log = await createFilledLog(1);
    chmodSync(log.file, 0o666);
    const args = ["call", "ledger", "fast", "--args", '{"marker":"x"}', "--config", log.config];
    const { code, stderr } = await log.run(...args);
    expect([code, stderr]).toEqual([0, expect.stringContaining("was open to other users (mode 0666)")]);
  });

  it("and all that is created in it belong to this user alone, whatever the umask", async () => {
    const folder = await temporaryFolder();
    const data = join(folder, "new", "data");
    const before = process.umask(0o000);
    try {
      await runProgram(["secret", "list"], { env: { TACKLEBOX_DATA: data } });
      await runProgram(["secret", "set", "x"], {
        env: { TACKLEBOX_DATA: data, TACKLEBOX_VAULT_KEY: KEY },
        stdin: "a secret value\n",
      });
    } finally {
      process.umask(before);
    }
    const paths = [join(folder, "new"), data, join(data, "tacklebox.db"), join(data, "tacklebox.db-shm")];
    expect(paths.map(modeOf)).toEqual(["700", "700", "600", "600"]);
  });
});

const KEY = Buffer.alloc(32, 7).toString("base64");

describe("F15: a database that is", () => {
  it("a link is refused, with what to do", async () => {
    const log = await createFilledLog(1);
    const elsewhere = join(log.data, "elsewhere.db");
    renameSync(log.file, elsewhere);
    symlinkSync(elsewhere, log.file);
    const { code, stderr } = await log.run("calls");
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${log.file} is a link. Put the file itself there`)]);
    const { stdout } = await log.run("doctor", "--config", log.config);
    expect(stdout).toMatch(/problem +data +.*is a link/);
  });

  it.runIf(process.getuid?.() === 0)("of another user is refused, with what to do", async () => {
    const log = await createFilledLog(1);
    chownSync(log.file, 65_534, 65_534);
    const { code, stderr } = await log.run("calls");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`belongs to another user. Make the user who runs Tacklebox`),
    ]);
  });

  it.runIf(process.getuid?.() === 0)("in a folder of another user is used with a warning", async () => {
    const data = join(await temporaryFolder(), "data");
    mkdirSync(data);
    chownSync(data, 65_534, 65_534);
    const { stdout } = await runProgram(["doctor"], { env: { TACKLEBOX_DATA: data } });
    expect(stdout).toContain(`${data} belongs to another user, or any user may write there`);
  });
});

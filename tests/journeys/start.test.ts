import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startProcess } from "../support/running-process.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { temporaryFolder } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const start = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));

/** Without any network where the system lets us cut it, so that nothing can have been fetched. */
const OFFLINE = [
  ["unshare", "-n"],
  ["unshare", "-rn"],
].find(([command = "", ...args]) => {
  return spawnSync(command, [...args, "true"]).status === 0;
}) ?? ["env"];

describe("npm start", () => {
  it(`plays one prompt where nobody can type, in an empty home, without a key (network cut by: ${OFFLINE.join(" ")})`, async () => {
    const [command = "env", ...args] = OFFLINE;
    const running = await startProcess(command, [...args, process.execPath, start], {
      cwd: root,
      env: { PATH: process.env.PATH ?? "", HOME: await temporaryFolder() },
    });
    running.endStdin();
    const { code, stdout, stderr } = await running.exit;
    expect([code, stderr]).toEqual([0, expect.stringContaining("its calls run without asking")]);
    expect(stdout).toContain("I am the demo model");
    expect(stdout).toContain("read_file answered:");
    expect(stdout).toContain("- the small net");
  });

  it("opens a chat on a terminal, whose conversation the next one goes on with", async () => {
    const first = await startOnTerminal([], { script: start });
    await first.sees("Try: list the files", "files 14 tools", "› ");
    first.type("list the files\r");
    await first.sees("? 1 list_directory · files wants to run with", "no, because …");
    first.type("y");
    await first.sees("✓ 1 list_directory", "packing-list.md", "› ");
    first.type("\u0004");
    expect((await first.exit).code).toBe(0);

    const next = await startOnTerminal([], { script: start });
    await next.sees("files 14 tools", "› ");
    next.type("/sessions 1\r");
    await next.sees("> list the files", "packing-list.md", "› ");
    next.type("\u0004");
    expect((await next.exit).code).toBe(0);
    expect(next.sent()).toContain(/chat --session (\S+)/.exec(first.sent())?.[1]);
  });
});

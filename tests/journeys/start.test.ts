import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OFFLINE } from "../support/offline.ts";
import { startProcess } from "../support/running-process.ts";
// biome-ignore lint/correctness/useImportExtensions: its types are beside it in a file with another extension
import { npmProgram } from "../support/scripts.mjs";
import { startOnTerminal } from "../support/terminal.ts";
import { temporaryFolder } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const start = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));

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

  it("shows the calls just made to the command after it, as JSON and nothing else on stdout", async () => {
    const env = { PATH: process.env.PATH ?? "", HOME: await temporaryFolder() };
    const npm = async (...args: readonly string[]) => {
      const running = await startProcess(process.execPath, [npmProgram(), ...args], { cwd: root, env });
      running.endStdin();
      return running.exit;
    };
    expect((await npm("start")).code).toBe(0);
    const { code, stdout } = await npm("start", "--", "calls", "--limit", "1", "--json");
    const { calls } = JSON.parse(stdout);
    expect([code, calls]).toEqual([0, [expect.objectContaining({ server: "files", tool: "read_file" })]]);
    const failed = await npm(
      "start",
      "--",
      "call",
      "files",
      "no_such_tool",
      "--config",
      "examples/quickstart.yaml",
      "--json",
    );
    expect([failed.code, JSON.parse(failed.stdout)]).toEqual([3, expect.objectContaining({ status: "error" })]);
  });

  it("opens a chat on a terminal, whose conversation the next one continues", async () => {
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

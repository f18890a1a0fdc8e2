import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { runOnTerminal } from "../support/terminal.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

type Entry = Readonly<Record<string, unknown>>;

/** A server that is a few lines of JavaScript. */
const script = (source: string, entry: Entry = {}): Entry => ({
  command: process.execPath,
  args: ["-e", source],
  ...entry,
});

const STAYS = "setInterval(() => {}, 1000);";

/** The server, and what its cause must say. */
type Row = readonly [name: string, entry: (folder: string) => Entry, cause: readonly (string | RegExp)[]];

const ROWS: readonly Row[] = [
  [
    "missing",
    () => ({ command: "no-such-program" }),
    ['The command "no-such-program" was not found. Check its spelling, install it or give its full path.\nSearched: /'],
  ],
  ["runner", () => ({ command: "uvx", args: ["mcp-server-git"] }), ["install uv, which it comes with,"]],
  [
    "own-path",
    () => ({ command: "gone", env: { PATH: "/canary/path" } }),
    ["not found in the PATH that its entry sets"],
  ],
  ["path", (folder) => ({ command: `${folder}/gone` }), ["was not found: there is no such file. Check its path."]],
  ["folder", (folder) => ({ command: folder }), ["is a folder, not a program."]],
  ["not-executable", (folder) => ({ command: `${folder}/text` }), ["is not executable.", /run: chmod \+x \/.*\/text/]],
  [
    "interpreter",
    (folder) => ({ command: `${folder}/lost` }),
    ["its first line names /no/such/sh, which does not exist."],
  ],
  ["shell", (folder) => ({ command: `${folder}/bare` }), ["has no #! line, so a shell ran it."]],
  ["machine", (folder) => ({ command: `${folder}/foreign` }), [/was built for Windows; this is \w+ on \w+\./]],
  [
    "cwd",
    (folder) => script(STAYS, { cwd: `${folder}/gone` }),
    [/^The working directory "\/.*\/gone" does not exist\.$/],
  ],
  [
    "script",
    (folder) => ({ command: process.execPath, args: [`${folder}/gone.js`] }),
    [/There is no file .*gone\.js/, "Cannot find module"],
  ],
  [
    "dies",
    () => script('console.error("starting\\nNo licence was found in licence.txt"); process.exit(3);'),
    ["exited with code 3. Its last output:\nstarting\nNo licence was found in licence.txt"],
  ],
  [
    "throws",
    () => script('throw new Error("no licence found");'),
    ["exited with code 1. Its last output:\n", "Error: no licence found"],
  ],
  ["quiet", () => script(""), ["exited with code 0. It wrote nothing. Check that the command and its arguments start"]],
  ["killed", () => script("process.kill(process.pid, 'SIGKILL');"), ["was ended by SIGKILL."]],
  [
    "usage",
    () => script('console.log("Usage: acme [options]\\n  --stdio  speak MCP"); process.exitCode = 2;'),
    [
      "exited with code 2. It wrote text to stdout, where MCP messages belong:\nUsage: acme [options]\n  --stdio  speak MCP",
    ],
  ],
  [
    "web-server",
    () => script(`console.log("Listening on http://localhost:3000"); ${STAYS}`, { timeout: 1.5 }),
    ["no answer within 1.5 s\nIt wrote text to stdout, where MCP messages belong:\nListening on http://localhost:3000"],
  ],
  [
    "stuck",
    () => script(`console.error("Waiting for the database"); ${STAYS}`, { timeout: 1.5 }),
    ["no answer within 1.5 s\nIts last output:\nWaiting for the database"],
  ],
  [
    "silent",
    () => script(STAYS, { timeout: 1.5 }),
    ["no answer within 1.5 s\nThe program runs, but has written nothing.", '"timeout" in its config entry'],
  ],
  [
    "secret",
    () =>
      script('console.error("token " + process.env.ACME_TOKEN); process.exit(1);', {
        env: { ACME_TOKEN: "canary-token-1" },
      }),
    ["Its last output:\ntoken [redacted]"],
  ],
];

let folder: string;
let servers: Readonly<Record<string, Entry>>;
let causes: ReadonlyMap<string, string>;
let printed: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const program = (name: string, content: string, mode = 0o755) => {
    writeFileSync(join(folder, name), content);
    chmodSync(join(folder, name), mode);
  };
  program("text", "#!/bin/sh\n", 0o644);
  program("lost", "#!/no/such/sh\n");
  program("bare", "exit 1\n");
  program("foreign", `MZ${"\0".repeat(64)}`);
  mkdirSync(join(folder, "empty"));
  servers = Object.fromEntries(ROWS.map(([name, entry]) => [name, { reconnect: "never", ...entry(folder) }]));
  const config = await toolboxFile({ servers });
  // Only what the rows need may be found in PATH.
  const { stdout, stderr } = await runProgram(["servers", "--json", "--config", config], {
    env: { PATH: `${folder}/empty:/usr/bin:/bin` },
  });
  printed = stdout + stderr;
  const report = parsed(stdout).servers;
  if (!Array.isArray(report)) throw new Error(`no servers: ${stdout}`);
  causes = new Map(report.map(({ name, cause }) => [String(name), String(cause)]));
});

describe("a program that is no server, or not one that can run, says why and what to do", () => {
  it.each(ROWS)("%s", (name, _entry, parts) => {
    const cause = causes.get(name) ?? "";
    for (const part of parts) {
      if (typeof part === "string") expect(cause).toContain(part);
      else expect(cause).toMatch(part);
    }
  });

  it("without any value that was passed to it", () => {
    expect(printed).not.toContain("canary-token-1");
    expect(printed).not.toContain("/canary/path");
  });
});

describe("servers", () => {
  it("T18 shows the whole of what a server wrote before it failed, below the table", async () => {
    const source = 'console.error("one\\n\\u001b[2Jtwo\\u0007\\nthree"); process.exit(1);';
    const config = await toolboxFile({ servers: { dies: script(source), good: fixtureServer("probe") } });
    const { stdout } = await runProgram(["servers", "--config", config]);
    expect(stdout).toMatch(/^dies +error +stdio +- +0 +The server process exited with code 1\.$/m);
    expect(stdout).toContain(
      "\nWhy:\n  dies: The server process exited with code 1. Its last output:\n    one\n    two\\x07\n    three\n",
    );
  });

  it("tells each cause once on a terminal, where the log has told it at once", async () => {
    const config = await toolboxFile({ servers: { dies: servers.dies ?? {}, good: fixtureServer("probe") } });
    const { screen } = await runOnTerminal(["servers", "--config", config]);
    expect(screen.match(/No licence was found in licence.txt/g)).toHaveLength(1);
    expect(screen).toContain("warn mcp: server 'dies' failed to connect: The server process exited with code 3.");
    expect(screen).not.toContain("Why:");
  });
});

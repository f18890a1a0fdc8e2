import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startEditor } from "../acp/support/editor.ts";
import { until } from "../support/processes.ts";
import { runProgram } from "../support/program.ts";
import { fixturePath } from "../support/servers.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** Loaded by a server before anything else: what it gets is seen whole, before Tacklebox could redact it. */
const WRITE_ENVIRONMENT = `data:text/javascript,
  import { renameSync, writeFileSync } from "node:fs";
  writeFileSync(process.env.SEEN + ".part", JSON.stringify(process.env));
  renameSync(process.env.SEEN + ".part", process.env.SEEN);`;
const COMMAND = process.execPath;
const ARGS = ["--import", WRITE_ENVIRONMENT, fixturePath("odd"), "stdio"];

/** What may be passed on. */
const OURS = { HOME: "/home/ada", USER: "ada", SHELL: "/bin/sh", TERM: "xterm", LANG: "C.UTF-8" };
/** What must not: credentials, what decides which code is loaded, and where things are sent. */
const KEPT = {
  DATABASE_URL: "postgres://ada:pw@db.example/shop",
  OPENAI_API_KEY: "sk-not-for-servers",
  TACKLEBOX_VAULT_KEY: "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=",
  SSH_AUTH_SOCK: "/tmp/agent.sock",
  NODE_OPTIONS: "--no-warnings",
  LD_LIBRARY_PATH: "/tmp/lib",
  HTTPS_PROXY: "http://proxy.example:8080",
  // Looks like a value, but is code of a shell.
  LOGNAME: "() { :; }; echo owned",
};

interface Watched {
  readonly seen: string;
  /** What the server was given by its entry. */
  readonly env: Readonly<Record<string, string>>;
}

async function watched(given: Readonly<Record<string, string>> = {}): Promise<Watched> {
  const seen = join(await temporaryFolder(), "environment.json");
  return { seen, env: { SEEN: seen, ...given } };
}

async function environmentSeen({ seen }: Watched): Promise<Record<string, unknown>> {
  await until(() => existsSync(seen), { describe: "the server to start" });
  // Node passes this variable to every child itself when coverage is measured.
  const { NODE_V8_COVERAGE: _coverage, ...env } = parsed(await readFile(seen, "utf8"));
  return env;
}

/** The cookie names whose server it is, so that what it starts can be found and ended. */
const expected = (given: Readonly<Record<string, string>>) => ({
  ...OURS,
  PATH: process.env.PATH,
  TACKLEBOX_COOKIE: expect.any(String),
  ...given,
});

describe("T06: a server's environment", () => {
  it.each([
    ["call", ["call", "odd", "env"], ""],
    ["call --stdin", ["call", "--stdin"], '{"server":"odd","tool":"env"}\n'],
    ["servers", ["servers"], ""],
    ["doctor", ["doctor"], ""],
  ])("T06: is what its entry gives it and a short list of ours, under `%s`", async (_command, args, stdin) => {
    const server = await watched({ GREETING: "hello", DB: "${DATABASE_URL}", USER: "somebody" });
    const config = await toolboxFile({ servers: { odd: { command: COMMAND, args: ARGS, env: server.env } } });
    const { code } = await runProgram([...args, "--config", config], { env: { ...OURS, ...KEPT }, stdin });
    expect(code).toBe(0);
    expect(await environmentSeen(server)).toEqual(expected({ ...server.env, DB: KEPT.DATABASE_URL }));
  });

  it("T06: is the same for the servers of an editor, the config's and its own", async () => {
    const [configured, brought] = [await watched(), await watched({ TOKEN: "from the editor" })];
    const config = await toolboxFile({ servers: { odd: { command: COMMAND, args: ARGS, env: configured.env } } });
    const editor = await startEditor({ args: ["--config", config], env: { ...OURS, ...KEPT } });
    const env = Object.entries(brought.env).map(([name, value]) => ({ name, value }));
    await editor.open(await temporaryFolder(), [{ name: "own", command: COMMAND, args: ARGS, env }]);
    for (const server of [configured, brought]) expect(await environmentSeen(server)).toEqual(expected(server.env));
    await editor.quit();
  });
});

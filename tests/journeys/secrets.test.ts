import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const CANARIES = {
  bearer: canary("bearer"),
  wrongBearer: canary("wrong-bearer"),
  apiKey: canary("api-key"),
  password: canary("password"),
  header: canary("header"),
  env: canary("env"),
  query: canary("query"),
  argument: canary("argument"),
  host: canary("host"),
};

function canary(name: string): string {
  return `canary-${name}-${crypto.randomUUID()}`;
}

/** Every form in which a credential is sent. */
const FORMS = Object.entries(CANARIES)
  .flatMap(([name, value]) => [
    { name, form: value },
    { name: `${name} in base64`, form: base64(value) },
  ])
  .concat({ name: "basic credentials", form: base64(`somebody:${CANARIES.password}`) });

function base64(text: string): string {
  return Buffer.from(text).toString("base64").replace(/=+$/, "");
}

function canariesIn(text: string): string[] {
  return FORMS.filter(({ form }) => text.includes(form)).map(({ name }) => name);
}

/** Reads every file the program left in a folder, including its database and write-ahead log. */
async function bytesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1")));
  return contents.join("\n");
}

describe("S1.48 D.21 credentials appear nowhere", () => {
  let config: string;
  let data: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    data = join(await temporaryFolder(), "data");
    env = { TACKLEBOX_DATA: data, BEARER_OF_TEST: CANARIES.bearer, AWS_SECRET_ACCESS_KEY: CANARIES.host };
    const basic = Buffer.from(`somebody:${CANARIES.password}`).toString("base64");
    const [bearer, apiKey, password, header] = await Promise.all(
      [
        `authorization: Bearer ${CANARIES.bearer}`,
        `x-api-key: ${CANARIES.apiKey}`,
        `authorization: Basic ${basic}`,
        `x-department: ${CANARIES.header}`,
      ].map(async (expected) => (await startHttpFixture("http-auth", { EXPECT_HEADER: expected })).url),
    );
    // Prints its arguments and environment before it exits, as crashing programs do.
    const crash = "console.error(process.argv.join(' '), process.env.API_TOKEN); process.exit(1)";
    // Connected only once, so that what is shown of these servers does not depend on the moment.
    const once = { reconnect: "never" };
    const token = { type: "bearer", token: CANARIES.wrongBearer };
    const query = `http://127.0.0.1:9/mcp?api_key=${CANARIES.query}`;
    config = await toolboxFile({
      toolbox: { collisions: "qualify" },
      servers: {
        bearer: { url: bearer, authentication: { type: "bearer", token: "${BEARER_OF_TEST}" } },
        refused: { url: bearer, authentication: token, ...once },
        apikey: { url: apiKey, authentication: { type: "api-key", key: CANARIES.apiKey } },
        basic: { url: password, authentication: { type: "basic", username: "somebody", password: CANARIES.password } },
        custom: { url: header, headers: { "X-Department": CANARIES.header } },
        odd: fixtureServer("odd", { API_TOKEN: CANARIES.env, GREETING: "hello" }),
        unreachable: { url: query, transport: "streamable-http", ...once },
        crashing: {
          command: process.execPath,
          args: ["-e", crash, "--", "--api-key", CANARIES.argument],
          env: { API_TOKEN: CANARIES.env },
          ...once,
        },
      },
    });
  });

  it("the search finds what is there", async () => {
    const everything = `${await readFile(config, "utf8")} ${Object.values(env).join(" ")}`;
    expect(canariesIn(everything)).toEqual(Object.keys(CANARIES).map((name) => expect.stringContaining(name)));
  });

  const commands: string[][] = [
    ["check"],
    ["servers"],
    ["tools"],
    ["why", "env"],
    ["call", "odd", "env"],
    ["call", "odd", "die"],
    ["call", "odd", "image", "--args", JSON.stringify({ token: CANARIES.env, note: CANARIES.query })],
    ["call", "bearer", "seen"],
    ["call", "apikey", "seen"],
    ["call", "basic", "seen"],
    ["call", "custom", "seen"],
    ["call", "refused", "seen"],
    ["call", "unreachable", "seen"],
    ["call", "crashing", "anything"],
    ["calls"],
  ];
  it.each(commands.map((command) => ({ title: command.slice(0, 3).join(" "), command })))(
    "in the output and the data of `$title`",
    async ({ command }) => {
      const forms = [["--log-format", "text"], ["--json"]];
      for (const form of forms) {
        const args = [...command, ...form, "--config", config, "--log-level", "debug"];
        const { stdout, stderr } = await runProgram(args, { env });
        expect(canariesIn(stdout)).toEqual([]);
        expect(canariesIn(stderr)).toEqual([]);
      }
      expect(canariesIn(await bytesOf(data))).toEqual([]);
    },
  );

  it("although they were used: signed in everywhere but where the token is wrong", async () => {
    const { stdout } = await runProgram(["servers", "--json", "--config", config], { env });
    expect(parsed(stdout).servers).toMatchObject([
      { name: "bearer", status: "connected" },
      { name: "refused", status: "error", cause: expect.stringContaining("HTTP 401") },
      { name: "apikey", status: "connected" },
      { name: "basic", status: "connected" },
      { name: "custom", status: "connected" },
      { name: "odd", status: "connected" },
      { name: "unreachable", status: "error", address: "http://127.0.0.1:9/mcp" },
      { name: "crashing", status: "error", cause: expect.stringContaining("--api-key [redacted] [redacted]") },
    ]);
  });

  it("in the write-ahead log while the program runs, nor in the record", async () => {
    const own = join(await temporaryFolder(), "data");
    const program = await startProgram(["call", "--stdin", "--config", config, "--log-level", "debug"], {
      env: { ...env, TACKLEBOX_DATA: own },
    });
    const line = { server: "odd", tool: "env", arguments: { note: CANARIES.env } };
    program.write(`${JSON.stringify(line)}\n`);
    await program.waitForStdout(() => true);
    await until(async () => (await readdir(own)).some((name) => name.endsWith("-wal")), { describe: "the log" });
    expect(canariesIn(await bytesOf(own))).toEqual([]);
    program.endStdin();
    const { stdout, stderr } = await program.exit;
    expect(canariesIn(stdout + stderr)).toEqual([]);
    expect(await callRecords(own)).toMatchObject([
      { arguments: { note: "[redacted]" }, result: { content: [{ text: expect.stringContaining("[redacted]") }] } },
    ]);
  });

  it("T06 a server gets what its entry gives it and a short list of ours, nothing else", async () => {
    const { stdout } = await runProgram(["call", "odd", "env", "--config", config], {
      env: { ...env, DATABASE_URL: "postgres://somewhere" },
    });
    // Node passes this variable to every child itself when coverage is measured.
    const { NODE_V8_COVERAGE: _coverage, ...seen } = parsed(stdout);
    expect(seen).toEqual({
      HOME: expect.any(String),
      PATH: process.env.PATH,
      API_TOKEN: "[redacted]",
      GREETING: "hello",
      // Names whose server it is, so that what it starts can be found and ended.
      TACKLEBOX_COOKIE: expect.any(String),
    });
  });
});

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { callLines } from "../support/call-lines.ts";
import { processesWithMarker, until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, logLines, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

/** Writes a toolbox file with the given parts. */
function writeToolbox(toolbox: object): Promise<string> {
  return toolboxFile({ myai: { toolbox } });
}

const mcp = (name: string, url: string, more: object) => ({ name, url, transport: "streamable_http", ...more });
const defaults = { max_instances: 2, timeout: "P0DT0H0M5S" };

async function check(config: string, env: Record<string, string> = {}, level = "debug") {
  const logged = ["--log-level", level, "--log-format", "json"];
  const exit = await runProgram(["check", "--json", "--config", config, ...logged], { env });
  return { ...exit, lines: logLines(exit.stderr), report: exit.stdout === "" ? {} : parsed(exit.stdout) };
}

describe("S4: an operator starts a toolbox", () => {
  it("S4.34 S4.21 S4.25 S4.26 mixed strict and dynamic servers with local tools start, each logged as it registers", async () => {
    const [customers, internal] = await Promise.all([
      startHttpFixture("http-tools", { TOOLS: "get_customer,list_customers" }),
      startHttpFixture("http-tools", { TOOLS: "report" }),
    ]);
    const config = await writeToolbox({
      max_concurrent: 10,
      local: ["sum_numbers"],
      tools: [
        { name: "sum_numbers" },
        { name: "get_customer", max_instances: 50 },
        { name: "report", timeout: "PT1M" },
      ],
      mcps: [
        mcp("customers", customers.url, { mode: "dynamic", default_tool_config: defaults }),
        mcp("internal", internal.url, { mode: "strict" }),
      ],
    });
    const { code, lines, report } = await check(config);
    expect(code).toBe(0);
    expect(report).toMatchObject({ ok: true, tools: 4, problems: [] });
    expect(lines).toEqual(
      expect.arrayContaining([
        "info mcp: server 'customers' connected (2 tools)",
        "info Tool 'list_customers' from MCP 'customers' not explicitly configured, using default configuration",
        "debug Tool 'get_customer' configuration merged: explicit={max_instances: 50}, default={max_instances: 2, timeout: PT5S}, final={max_instances: 50, timeout: PT5S}",
        "debug Tool 'report' registered with explicit configuration: {max_instances: 5, timeout: PT1M}",
        "debug Tool 'sum_numbers' registered with explicit configuration: {max_instances: 5, timeout: PT30S}",
      ]),
    );
  });

  it("S4.18 S4.17 S4.33 two unreachable required servers and a strict violation are reported at once, exit 1, no child left", async () => {
    const strict = await startHttpFixture("http-tools", { TOOLS: "known,surprise" });
    const marker = `marker-${crypto.randomUUID()}`;
    const folder = await temporaryFolder();
    const config = await writeConfig(
      folder,
      "tacklebox.yaml",
      stringify({
        toolbox: { tools: [{ name: "known" }, { name: "other" }] },
        servers: {
          one: { url: "http://127.0.0.1:9/mcp", transport: "streamable-http", required: true },
          two: { url: "http://127.0.0.1:9/mcp?api_key=canary-secret-1", transport: "streamable-http", required: true },
          three: { url: strict.url, mode: "strict" },
          child: fixtureServer("collide", { TOOLS: "a", MARKER: marker }),
        },
      }),
    );
    const { code, stdout, stderr } = await runProgram(["check", "--config", config]);
    expect(code).toBe(1);
    for (const name of ["one", "two"]) {
      expect(stderr).toMatch(
        new RegExp(
          `^Failed to connect to MCP server '${name}' at http://127\\.0\\.0\\.1:9/mcp\nError: .*ECONNREFUSED.*\n\nThe application cannot start without connecting to all configured MCP servers\\.$`,
          "m",
        ),
      );
    }
    expect(stderr).toContain(
      `Tool 'surprise' from MCP server 'three' is not configured in the toolbox.

MCP Server: three
Mode: strict
Missing Tool: surprise

Configured tools: [known, other]

To resolve:
1. Add the tool to toolbox.tools in your configuration, OR
2. Change the MCP server mode to 'dynamic' and provide default_tool_config
`,
    );
    expect(stdout).toContain("Not ready: 3 problems");
    expect(stdout + stderr).not.toContain("canary-secret-1");
    expect(processesWithMarker(marker)).toEqual([]);
  });

  it("S4.27 connection failures and strict violations are logged at ERROR", async () => {
    const config = await writeToolbox({ tools: [], mcps: [mcp("gone", "http://127.0.0.1:9/mcp", { mode: "strict" })] });
    const { code, lines } = await check(config, {}, "error");
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^error Failed to connect to MCP server 'gone' at http:\/\/127\.0\.0\.1:9\/mcp\n/),
    ]);
  });

  it("S4.11 S4.31 a local tool that is not configured stops the start", async () => {
    const { code, report } = await check(
      await writeToolbox({ local: ["sum_numbers"], tools: [{ name: "x" }], mcps: [] }),
    );
    expect(code).toBe(1);
    expect(report.problems).toEqual([
      {
        kind: "local-unconfigured",
        server: "local",
        tool: "sum_numbers",
        text: "Tool 'sum_numbers' (local tool) is not configured in the toolbox.\n\nLocal tools must always be explicitly configured in myai.toolbox.tools.\n\nConfigured tools: [x]",
      },
    ]);
  });

  it("S4.19 S4.23 S4.33 a server without tools is a warning and the start goes on", async () => {
    const empty = await startHttpFixture("http-tools", { TOOLS: "" });
    const { code, lines } = await check(
      await writeToolbox({ tools: [], mcps: [mcp("empty", empty.url, { mode: "strict" })] }),
    );
    expect(code).toBe(0);
    expect(lines).toContain(`warn MCP server 'empty' at ${empty.url} returned no tools`);
  });

  it("S4.14 S4.22 S4.24 S4.29 the inventory tells new and removed tools from known ones", async () => {
    const data = await temporaryFolder();
    const list = await writeConfig(
      await temporaryFolder(),
      "tools.json",
      JSON.stringify([{ name: "a" }, { name: "old" }]),
    );
    const config = await toolboxFile({ servers: { shifty: fixtureServer("shifty", { SHIFTY_FILE: list }) } });
    const first = await check(config, { TACKLEBOX_DATA: data });
    expect(first.lines).toContain(
      "info Tool 'old' from MCP 'shifty' not explicitly configured, using default configuration",
    );
    await writeConfig(
      list.replace("/tools.json", ""),
      "tools.json",
      JSON.stringify([{ name: "a" }, { name: "fresh" }]),
    );
    const second = await check(config, { TACKLEBOX_DATA: data });
    expect(second.lines.filter((line) => line.includes("ool '"))).toEqual([
      "info Tool 'a' from MCP 'shifty' not explicitly configured, using default configuration",
      "info New tool 'fresh' discovered from MCP server 'shifty', registering with default configuration",
      "warn Tool 'old' was configured but is no longer available from MCP server 'shifty'",
    ]);
  });

  it("S4.28 S4.35 a name collision between two servers: a warning, the last in configuration order wins", async () => {
    const config = await toolboxFile({
      servers: {
        first: fixtureServer("collide", { NAME: "first", TOOLS: "find" }),
        second: fixtureServer("collide", { NAME: "second", TOOLS: "find" }),
      },
    });
    const { lines } = await check(config);
    expect(lines).toContain("warn Tool 'find' is offered by 'first' and by 'second'; the one from 'second' is used");
    const { stdout } = await runProgram(["call", "second", "find", "--config", config]);
    expect(stdout.trim()).toBe("second:find");
    const [outcome] = await callLines(config, [{ tool: "find" }]);
    expect(outcome).toMatchObject({ server: "second", text: "second:find" });
    const named = await runProgram(["call", "first", "find", "--config", config]);
    expect(named.stdout.trim()).toBe("first:find");
  });

  it("D.2 S4.35 local wins over MCP by default; last_wins and hide are there to choose", async () => {
    const base = { local: ["sum_numbers"], tools: [{ name: "sum_numbers" }] };
    const servers = { impostor: fixtureServer("collide", { NAME: "impostor", TOOLS: "sum_numbers" }) };
    const winner = async (toolbox: object) => {
      const config = await toolboxFile({ toolbox: { ...base, ...toolbox }, servers });
      const { stdout } = await runProgram(["tools", "--json", "--config", config]);
      return JSON.stringify(parsed(stdout).tools, ["name", "server"]);
    };
    const both = '[{"name":"sum_numbers","server":"local"},{"name":"impostor__sum_numbers","server":"impostor"}]';
    expect(await winner({})).toBe(both);
    expect(await winner({ collisions: "hide" })).toBe('[{"name":"sum_numbers","server":"local"}]');
    expect(await winner({ collisions: "hide", local_collision: "last_wins" })).toBe(
      '[{"name":"sum_numbers","server":"impostor"}]',
    );
  });

  it("S4.35 100 tools with 5 configured on a dynamic server", async () => {
    const tools = ["001", "002", "003", "004", "005"].map((number) => ({ name: `tool_${number}`, max_instances: 1 }));
    const config = await toolboxFile({ toolbox: { tools }, servers: { many: fixtureServer("many") } });
    const { code, lines, report } = await check(config);
    expect([code, report.tools]).toEqual([0, 100]);
    expect(lines.filter((line) => line.includes("not explicitly configured"))).toHaveLength(95);
    expect(lines.filter((line) => line.includes("configuration merged"))).toHaveLength(5);
  });

  it("S4.35 a deployment switched from strict to dynamic starts with what was refused before", async () => {
    const server = await startHttpFixture("http-tools", { TOOLS: "a,b" });
    const strict = await writeToolbox({ tools: [{ name: "a" }], mcps: [mcp("s", server.url, { mode: "strict" })] });
    expect((await check(strict)).code).toBe(1);
    const dynamic = await writeToolbox({
      tools: [{ name: "a" }],
      mcps: [mcp("s", server.url, { mode: "dynamic", default_tool_config: defaults })],
    });
    expect((await check(dynamic)).report).toMatchObject({ ok: true, tools: 2 });
  });

  it("D.26 a disabled server is not started and offers nothing", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const config = await toolboxFile({
      servers: { off: { ...fixtureServer("collide", { TOOLS: "a", MARKER: marker }), enabled: false } },
    });
    const { report } = await check(config);
    expect(report).toMatchObject({ ok: true, tools: 0, servers: [{ name: "off", status: "disabled" }] });
  });
});

describe("S4.10 the example configurations", () => {
  async function example(name: string, urls: Record<string, string>): Promise<string> {
    const text = await readFile(fileURLToPath(new URL(`../../examples/dialects/${name}`, import.meta.url)), "utf8");
    const config: unknown = parse(text, (_key, value: unknown) => {
      if (typeof value !== "object" || value === null || !("name" in value) || !("url" in value)) return value;
      return { ...value, url: urls[String(value.name)] ?? value.url };
    });
    return toolboxFile(Object(config));
  }

  /** Starts a server for every `mcps` entry, offering exactly the tools given. */
  async function serve(tools: Record<string, string>): Promise<Record<string, string>> {
    const started = await Promise.all(
      Object.entries(tools).map(
        async ([name, list]) => [name, (await startHttpFixture("http-tools", { TOOLS: list })).url] as const,
      ),
    );
    return Object.fromEntries(started);
  }

  async function namesIn(name: string): Promise<{ servers: string[]; tools: string[] }> {
    const text = await readFile(fileURLToPath(new URL(`../../examples/dialects/${name}`, import.meta.url)), "utf8");
    const { myai } = Object(parse(text));
    return {
      servers: myai.toolbox.mcps.map((entry: { name: string }) => entry.name),
      tools: (myai.toolbox.tools ?? []).map((entry: { name: string }) => entry.name),
    };
  }

  it.each(["s4-minimal-strict.yaml", "s4-minimal-dynamic.yaml", "s4-mixed.yaml", "s4-section-2-1.yaml"])(
    "%s starts as it stands",
    async (name) => {
      const { servers, tools } = await namesIn(name);
      const urls = await serve(Object.fromEntries(servers.map((server) => [server, tools.join(",") || "anything"])));
      const { code, report } = await check(await example(name, urls));
      expect(report).toMatchObject({ ok: true, problems: [] });
      expect(code).toBe(0);
    },
  );

  it("a file from before `mode` existed fails with a text that says what to add", async () => {
    const file = fileURLToPath(new URL("../../examples/dialects/s4-before-mode.yaml", import.meta.url));
    const { code, stderr } = await runProgram(["check", "--config", file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/s4-before-mode\.yaml:\d+:\d+\n/);
    expect(stderr).toMatch(/MCP server '.+'.*mode/);
  });
});

describe("while a toolbox runs", () => {
  it("S4.39 list_changed: a new tool of a dynamic server can be called, one of a strict server stays out", async () => {
    const folder = await temporaryFolder();
    const list = await writeConfig(folder, "tools.json", JSON.stringify([{ name: "a" }]));
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "a", server: "strict" }], collisions: "qualify" },
      servers: {
        strict: { ...fixtureServer("shifty", { SHIFTY_FILE: list }), mode: "strict" },
        dynamic: fixtureServer("shifty", { SHIFTY_FILE: list }),
      },
    });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":0,"server":"dynamic","tool":"a"}\n');
    await program.waitForStdout((line) => line.includes("called a"));
    await writeConfig(folder, "tools.json", JSON.stringify([{ name: "a" }, { name: "b" }]));
    await program.waitForStderr((line) => line.includes("New tool 'b' discovered from MCP server 'dynamic'"));
    await program.waitForStderr((line) =>
      line.includes("Tool 'b' from MCP server 'strict' is not configured in the toolbox."),
    );
    program.write('{"id":1,"server":"dynamic","tool":"b"}\n{"id":2,"server":"strict","tool":"b"}\n');
    await until(() => program.stdout().split("\n").length > 3, { describe: "two more answers" });
    program.endStdin();
    const { code, stdout } = await program.exit;
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => parsed(line))
      .sort((x, y) => Number(x.id) - Number(y.id));
    expect(answers.slice(1)).toMatchObject([
      { id: 1, status: "success", text: "called b" },
      { id: 2, status: "error", ending: "denied" },
    ]);
    expect(code).toBe(0);
  });
});

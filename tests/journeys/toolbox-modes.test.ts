import { describe, expect, it } from "vitest";
import { processesWithMarker } from "../support/processes.ts";
import { runProgram } from "../support/program.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";

interface Limits {
  readonly max_instances: number;
  readonly timeout_ms: number;
  readonly configured_by: string;
}

/** Writes a toolbox file with one server, at that URL. */
function writeToolbox(url: string, server: object, tools: readonly object[] = []): Promise<string> {
  const mcps = [{ name: "s", url, transport: "streamable_http", ...server }];
  return toolboxFile({ myai: { toolbox: { max_concurrent: 10, tools, mcps } } });
}

/** Returns the limits each tool was registered with, by name. */
async function limitsIn(config: string): Promise<Record<string, Limits>> {
  const { code, stdout, stderr } = await runProgram(["tools", "--json", "--config", config]);
  if (code !== 0) throw new Error(`tools ended with ${code}: ${stderr}`);
  const { tools } = parsed(stdout);
  if (!Array.isArray(tools)) throw new Error("tools is a list");
  return Object.fromEntries(
    tools.map(({ name, max_instances, timeout_ms, configured_by }) => [
      name,
      { max_instances, timeout_ms, configured_by },
    ]),
  );
}

async function refusal(config: string): Promise<string> {
  const { code, stderr } = await runProgram(["check", "--config", config]);
  expect(code).toBe(1);
  return stderr;
}

const DEFAULTS = { max_instances: 7, timeout: "P0DT0H1M0S" };

describe("S4: what the two modes mean, through the built program", () => {
  it("S4.1 S4.12 S4.25 strict: configured tools register with their own settings, S4.5's defaults where none are written", async () => {
    const { url } = await startHttpFixture("http-tools", { TOOLS: "a,b" });
    const config = await writeToolbox(url, { mode: "strict" }, [
      { name: "a", max_instances: 2 },
      { name: "b", timeout: "PT1M" },
    ]);
    expect(await limitsIn(config)).toEqual({
      a: { max_instances: 2, timeout_ms: 30_000, configured_by: "explicit" },
      b: { max_instances: 5, timeout_ms: 60_000, configured_by: "explicit" },
    });
  });

  it("S4.13 S4.15 S4.32 dynamic: explicit settings override all, some or none of default_tool_config", async () => {
    const { url } = await startHttpFixture("http-tools", { TOOLS: "all,some,none,unlisted" });
    const config = await writeToolbox(url, { mode: "dynamic", default_tool_config: DEFAULTS }, [
      { name: "all", max_instances: 1, timeout: "PT1S" },
      { name: "some", max_instances: 50 },
      { name: "none" },
    ]);
    expect(await limitsIn(config)).toEqual({
      all: { max_instances: 1, timeout_ms: 1_000, configured_by: "merged" },
      some: { max_instances: 50, timeout_ms: 60_000, configured_by: "merged" },
      none: { max_instances: 7, timeout_ms: 60_000, configured_by: "merged" },
      unlisted: { max_instances: 7, timeout_ms: 60_000, configured_by: "default" },
    });
  });

  it("S4.3 S4.30 default_tool_config: optional and ignored for strict, required for dynamic (S4.20)", async () => {
    const { url } = await startHttpFixture("http-tools", { TOOLS: "a" });
    const ignored = await writeToolbox(url, { mode: "strict", default_tool_config: DEFAULTS }, [{ name: "a" }]);
    expect(await limitsIn(ignored)).toEqual({ a: { max_instances: 5, timeout_ms: 30_000, configured_by: "explicit" } });
    expect(await refusal(await writeToolbox(url, { mode: "dynamic" }))).toContain(
      "MCP server 's' is configured with mode='dynamic' but missing required field 'default_tool_config'",
    );
  });

  it("S4.4 S4.5 instance_counts is not configuration, and an entry has a name", async () => {
    const url = "http://127.0.0.1:9/mcp";
    expect(await refusal(await writeToolbox(url, { mode: "strict" }, [{ name: "a", instance_counts: 1 }]))).toMatch(
      /instance_counts/,
    );
    expect(await refusal(await writeToolbox(url, { mode: "strict" }, [{ max_instances: 1 }]))).toMatch(/name/);
  });

  it.each([
    ["P0DT0H0M30S", 30_000],
    ["PT0.5S", 500],
    ["00:01:30", 90_000],
    ["P1W", 604_800_000],
    [45, 45_000],
  ])("S4.6 a timeout may be written as %s", async (timeout, expected) => {
    const { url } = await startHttpFixture("http-tools", { TOOLS: "a" });
    const { a } = await limitsIn(await writeToolbox(url, { mode: "strict" }, [{ name: "a", timeout }]));
    expect(a?.timeout_ms).toBe(expected);
  });

  it("S4.7 transport is streamable_http or sse, and url an HTTP address", async () => {
    expect(
      await refusal(await writeToolbox("http://127.0.0.1:9/mcp", { mode: "strict", transport: "http" })),
    ).toContain("Unknown transport: http. Use one of: streamable_http, sse");
    expect(await refusal(await writeToolbox("ftp://127.0.0.1/mcp", { mode: "strict" }))).toMatch(
      /:\d+:\d+\n.*url.*http/i,
    );
  });

  it("S4.16 a tool knows where it came from: local or which server, and in which mode", async () => {
    const config = await toolboxFile({
      toolbox: { local: ["sum_numbers"], tools: [{ name: "sum_numbers" }, { name: "a" }] },
      servers: { s: { ...fixtureServer("collide", { NAME: "s", TOOLS: "a" }), mode: "strict" } },
    });
    const explain = async (tool: string) => {
      const { stdout } = await runProgram(["why", tool, "--config", config]);
      return stdout;
    };
    expect(await explain("a")).toMatch(/listed by 's'[\s\S]*strict, configured in toolbox\.tools/);
    expect(await explain("sum_numbers")).toMatch(/listed by 'local'[\s\S]*strict, configured in toolbox\.tools/);
  });

  it("S4.39 a tool's own mode overrides its server's", async () => {
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "a", mode: "strict" }, { name: "b" }] },
      servers: {
        s: { ...fixtureServer("collide", { NAME: "s", TOOLS: "a,b" }), default_tool_config: { max_instances: 9 } },
      },
    });
    const { a, b } = await limitsIn(config);
    expect([a?.max_instances, b?.max_instances]).toEqual([5, 9]);
  });
});

describe("D.17 S4.40 the environment overrides the file", () => {
  it("by index and by name, and a bad value names its variable", async () => {
    const { url } = await startHttpFixture("http-tools", { TOOLS: "a" });
    const config = await writeToolbox(url, { mode: "strict" });
    const env = {
      APP_MYAI__TOOLBOX__MCPS__0__MODE: "dynamic",
      APP_MYAI__TOOLBOX__MCPS__S__DEFAULT_TOOL_CONFIG: JSON.stringify({ max_instances: 2, timeout: "PT9S" }),
    };
    const { stdout } = await runProgram(["tools", "--json", "--config", config], { env });
    expect(parsed(stdout).tools).toMatchObject([{ name: "a", max_instances: 2, timeout_ms: 9_000 }]);
    const bad = await runProgram(["check", "--config", config], {
      env: { APP_MYAI__TOOLBOX__MCPS__7__MODE: "strict" },
    });
    expect(bad.code).toBe(1);
    expect(bad.stderr).toBe(
      "environment variable APP_MYAI__TOOLBOX__MCPS__7__MODE\n'mcps' has 1 entry, counted from 0, and there is no entry 7\n",
    );
  });
});

describe("S2: nothing stays behind", () => {
  it.each([
    ["a call that fails", ["call", "odd", "fail"], 3],
    ["a tool nobody has", ["call", "odd", "nothing"], 3],
    ["a list of tools", ["tools"], 0],
  ])("S2.7 connections are closed after %s", async (_what, args, code) => {
    const marker = `marker-${crypto.randomUUID()}`;
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd", { MARKER: marker }) } });
    expect((await runProgram([...args, "--config", config])).code).toBe(code);
    expect(processesWithMarker(marker)).toEqual([]);
  });
});

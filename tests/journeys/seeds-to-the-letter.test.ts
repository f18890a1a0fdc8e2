import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, logLines, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const defaults = { max_instances: 5, timeout: "P0DT0H0M30S" };
const mcp = (name: string, url: string, more: object) => ({ name, url, transport: "streamable_http", ...more });

describe("S4's files as they stand", () => {
  it("S4.10 a local tool that tools lists can be called", async () => {
    const customers = await startHttpFixture("http-tools", { TOOLS: "get_customer" });
    const config = await toolboxFile({
      myai: {
        toolbox: {
          tools: [{ name: "sum_numbers" }, { name: "multiply_numbers" }, { name: "get_customer", max_instances: 10 }],
          mcps: [mcp("customers", customers.url, { mode: "dynamic", default_tool_config: defaults })],
        },
      },
    });
    const check = await runProgram(["check", "--config", config]);
    expect(check).toMatchObject({ code: 0, stderr: "" });
    expect(check.stdout).toContain("3 tools");
    const sum = await runProgram(["call", "local", "sum_numbers", "--args", '{"numbers":[1,2]}', "--config", config]);
    expect(sum).toMatchObject({ code: 0, stdout: "3\n" });
  });

  it("S4.14 S4.24 a configured tool that is gone is told at every start, until its entry is gone too", async () => {
    const data = await temporaryFolder();
    const port = await startHttpFixture("http-tools", { TOOLS: "get_customer,old_tool" });
    const other = await startHttpFixture("http-tools", { TOOLS: "report" });
    const write = (url: string, tools: readonly string[]) =>
      writeConfig(
        data,
        "tacklebox.yaml",
        JSON.stringify({
          myai: {
            toolbox: {
              tools: tools.map((name) => ({ name })),
              mcps: [
                mcp("customers", url, { mode: "dynamic", default_tool_config: defaults }),
                mcp("others", other.url, { mode: "strict" }),
              ],
            },
          },
        }),
      );
    const start = async (config: string) => {
      const { code, stderr } = await runProgram(["check", "--config", config], {
        env: { TACKLEBOX_DATA: join(data, "data") },
      });
      expect(code).toBe(0);
      return logLines(stderr);
    };
    const all = ["get_customer", "old_tool", "report"];
    expect(await start(await write(port.url, all))).toEqual([]);
    await port.stop();
    const without = await startHttpFixture("http-tools", { TOOLS: "get_customer" });
    const config = await write(without.url, all);
    const GONE = "warn Tool 'old_tool' was configured but is no longer available from MCP server 'customers'";
    for (const _start of ["second", "third", "fourth"]) expect(await start(config)).toEqual([GONE]);
    expect(await start(await write(without.url, ["get_customer", "report"]))).toEqual([]);
  });

  it("S4.39 tool_allowlist and tool_denylist decide which tools there are", async () => {
    const server = await startHttpFixture("http-tools", { TOOLS: "read_one,read_all,write_one" });
    const lists = { tool_allowlist: ["read_*"], tool_denylist: ["read_all"] };
    const config = await toolboxFile({
      myai: {
        toolbox: { mcps: [mcp("files", server.url, { mode: "dynamic", default_tool_config: defaults, ...lists })] },
      },
    });
    const { stdout } = await runProgram(["tools", "--json", "--config", config]);
    expect(parsed(stdout)).toMatchObject({ tools: [{ name: "read_one" }] });
  });
});

describe("a null for a parameter that may be absent but not null", () => {
  it("is left out of the call, which its record and its caller are told", async () => {
    const folder = await temporaryFolder();
    const inputSchema = {
      type: "object",
      properties: { path: { type: "string" }, verbose: { type: "boolean" }, note: { type: ["string", "null"] } },
      required: ["path"],
    };
    const list = await writeConfig(folder, "tools.json", JSON.stringify([{ name: "read", inputSchema }]));
    const server = fixtureServer("shifty", { SHIFTY_FILE: list, SHIFTY_ECHO: "1" });
    const config = await toolboxFile({ servers: { files: server } });
    const data = join(folder, "data");
    const call = (args: object) =>
      runProgram(["call", "files", "read", "--json", "--args", JSON.stringify(args), "--config", config], {
        env: { TACKLEBOX_DATA: data },
      });
    const { code, stdout } = await call({ path: "x", verbose: null, note: null });
    expect(code).toBe(0);
    expect(parsed(stdout)).toMatchObject({ text: '{"path":"x","note":null}', left_out: ["/verbose"] });
    const [record] = await callRecords(data);
    expect(record).toMatchObject({ arguments: { path: "x", note: null } });
    expect(record?.decision).toContain("Left out, as they may not be null: /verbose");

    const refused = await call({ path: null });
    expect(refused.code).toBe(3);
    expect(parsed(refused.stdout)).toMatchObject({ ending: "invalid-arguments", problems: [{ path: "/path" }] });
    expect(parsed((await call({ path: "x", verbose: true })).stdout)).not.toHaveProperty("left_out");
  });
});

it("T27 a $dynamicRef in a tool's schema means what the outermost schema says, however deep it stands", async () => {
  const tree = {
    $id: "tree",
    $dynamicAnchor: "node",
    type: "object",
    properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
  };
  const inputSchema = {
    $id: "strict-tree",
    $dynamicAnchor: "node",
    type: "object",
    $ref: "tree",
    unevaluatedProperties: false,
    $defs: { tree },
  };
  const tools = JSON.stringify([{ name: "plant", inputSchema }]);
  const config = await toolboxFile({ servers: { s: fixtureServer("mirror", { TOOLS: tools }) } });
  const plant = (args: object) =>
    runProgram(["call", "s", "plant", "--json", "--args", JSON.stringify(args), "--config", config]);
  const deep = (leaf: object) => ({ data: 1, children: [{ children: [leaf] }] });
  expect((await plant(deep({ data: 2 }))).code).toBe(0);
  const refused = await plant(deep({ daat: 2 }));
  expect(refused.code).toBe(3);
  expect(parsed(refused.stdout)).toMatchObject({
    ending: "invalid-arguments",
    problems: expect.arrayContaining([{ path: "/children/0/children/0", message: 'has the unknown property "daat"' }]),
  });
});

import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { expectRefused, type Problem } from "../support/refused-config.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const EXPECTED_ROOT = "A config file must be a map with a key such as 'servers', 'mcpServers', 'tools' or 'myai'.";
const UNKNOWN_TO_US =
  "Expected 'servers' (tacklebox.yaml), 'mcpServers', 'context_servers', 'myai.toolbox' or 'tools.mcp_servers'.";
const NO_MODE =
  "is missing required field 'mode'. Use 'strict' (every tool must be in myai.toolbox.tools) or 'dynamic' (other tools take default_tool_config)";

/** Five levels of nine aliases each: 59,049 values from a few lines. */
const ALIAS_BOMB = ["x", "*a", "*b", "*c", "*d"]
  .map((value, level) => {
    const name = "abcde".charAt(level);
    return `${name}: &${name} [${`${value}, `.repeat(9)}]\n`;
  })
  .join("");

describe("a file that is not a config is refused with its position", () => {
  it.each<[string, string, readonly Problem[]]>([
    ["an empty file", "", [["1:1", `The file is empty. ${EXPECTED_ROOT}`]]],
    ["nothing but comments", "# later\n\n", [["1:1", `The file is empty. ${EXPECTED_ROOT}`]]],
    ["an empty map", "{}\n", [["1:1", `The file is empty. ${UNKNOWN_TO_US}`]]],
    ["prose", "Dear reader,\nhello secret-canary.\n", [["1:1", EXPECTED_ROOT]]],
    ["a list", "- servers\n", [["1:1", EXPECTED_ROOT]]],
    [
      "no YAML at all, one message per line",
      "this is: not: yaml secret-canary\n\t- at all\n",
      [
        [
          "1:10",
          "A second ': ' on this line starts a map where none can be; put the value in quotes if it is meant as text.",
        ],
        ["2:1", "Tabs cannot indent YAML; use spaces."],
      ],
    ],
    [
      "a bracket that is never closed",
      "servers: {a: {command: secret-canary}\n",
      [["2:1", "The indentation does not fit the lines around it, or a closing bracket is missing."]],
    ],
    ["tabs", "servers:\n\ta: {command: x}\n", [["2:1", "Tabs cannot indent YAML; use spaces."]]],
    [
      "two documents",
      "servers:\n  @servers\n---\nservers: {}\n",
      [["4:1", "A config file holds one document; remove the '---' and what does not belong to it."]],
    ],
    [
      "a cycle of aliases",
      "servers: &all\n  a: *all\n  @servers\n",
      [["2:6", "The alias *all refers to a value that it is itself part of."]],
    ],
    [
      "an alias without its anchor",
      "servers:\n  a: *nobody\n  @servers\n",
      [["2:6", "The alias *nobody has no anchor (&nobody) before it."]],
    ],
    [
      "an alias bomb",
      `${ALIAS_BOMB}servers:\n  @servers\n`,
      [["5:8", "The aliases in this file stand for more than 10000 values; write fewer."]],
    ],
    [
      "brackets nested too deeply",
      `servers: ${"[".repeat(5_000)}${"]".repeat(5_000)}\n`,
      [["1:110", "This is nested too deeply to be read."]],
    ],
    [
      "blocks nested too deeply",
      Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""),
      [["201:202", "This is nested too deeply to be read."]],
    ],
    [
      "a key that would change every object",
      "servers:\n  __proto__: {command: x}\n  @servers\n",
      [["2:3", "This cannot be a key; a key must be plain text."]],
    ],
    ["characters that no text has", "a\0b\n", [["1:1", EXPECTED_ROOT]]],
    [
      "10 MB",
      `servers:\n  @servers\n#${"x".repeat(10 * 1024 * 1024)}`,
      [["", "The config file is 10.0 MB; a config file may be at most 1 MB. Is this the right file?"]],
    ],
  ])("%s", async (_title, text, problems) => {
    await expectRefused(text, problems);
  });

  it("JSON that is cut off", async () => {
    await expectRefused(
      '{\n  // comments are fine\n  "mcpServers": {\n    "a": {"command": "secret-canary",,}\n',
      [
        ["4:38", "This does not belong here; check for a missing quote, bracket or line break before it."],
        ["5:1", "The indentation does not fit the lines around it, or a closing bracket is missing."],
      ],
      "mcp.json",
    );
  });
});

describe("a file that cannot be read", () => {
  async function checkPath(path: string) {
    const { code, stdout, stderr } = await runProgram(["check", "--config", path]);
    return { code, stdout, stderr };
  }
  const unreadable = (file: string, reason: string) => ({
    code: 1,
    stdout: "",
    stderr: `${file}\nCannot read the config file: ${reason}. Name another with --config FILE.\n`,
  });

  it("is absent", async () => {
    const file = join(await temporaryFolder(), "absent.yaml");
    expect(await checkPath(file)).toEqual(unreadable(file, "it does not exist"));
  });

  it("has a file where a folder should be", async () => {
    const file = join(await writeConfig(await temporaryFolder(), "plain", ""), "tacklebox.yaml");
    expect(await checkPath(file)).toEqual(unreadable(file, "it does not exist"));
  });

  it("is a folder", async () => {
    const folder = await temporaryFolder();
    expect(await checkPath(folder)).toEqual(unreadable(folder, "it is a folder"));
  });

  it("is a link to itself", async () => {
    const file = join(await temporaryFolder(), "loop.yaml");
    await symlink(file, file);
    expect(await checkPath(file)).toEqual(unreadable(file, "it is a link that points back to itself"));
  });

  it("holds bytes that are not text", async () => {
    const file = join(await temporaryFolder(), "picture.yaml");
    await writeFile(file, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00]));
    expect(await checkPath(file)).toEqual(unreadable(file, "it is not UTF-8 text"));
  });

  it("never ends", async () => {
    expect(await checkPath("/dev/zero")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "/dev/zero\nThe config file is more than 1 MB; a config file may be at most 1 MB. Is this the right file?\n",
    });
  });

  it("is nowhere: says where it was looked for and how to start", async () => {
    const cwd = await temporaryFolder();
    const home = await temporaryFolder();
    await mkdir(join(home, ".config", "tacklebox"), { recursive: true });
    const { code, stdout, stderr } = await runProgram(["check"], { cwd, env: { HOME: home } });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(`No config file found. Looked at:
  ${cwd}/tacklebox.yaml
  ${cwd}/tacklebox.json
  ${home}/.config/tacklebox/tacklebox.yaml
  ${home}/.config/tacklebox/tacklebox.json
To create one: tacklebox init
To use another file: --config FILE, or TACKLEBOX_CONFIG
`);
  });
});

describe("mistakes in the other dialects", () => {
  const mixed = (first: string, second: string) =>
    `This file mixes two ways of describing servers: ${first} and ${second}. Use only one of them per file.`;
  const called = 'url: "http://127.0.0.1:9/mcp", transport: streamable_http';

  it.each<[string, string, readonly Problem[]]>([
    [
      "native and mcpServers in one file: both are named",
      "mcpServers: {}\nservers:\n  @servers\n",
      [["1:1", mixed("'servers' (dialect native)", "'mcpServers' (dialect mcp-servers)")]],
    ],
    [
      "mcpServers and S4 in one file",
      "mcpServers:\n  @servers\nmyai: {toolbox: {}}\n",
      [["4:8", mixed("'mcpServers' (dialect mcp-servers)", "'myai.toolbox' (dialect toolbox)")]],
    ],
    [
      "S2 and native in one file",
      "tools: {mcp_servers: {}}\nservers:\n  @servers\n",
      [["1:9", mixed("'servers' (dialect native)", "'tools.mcp_servers' (dialect gateway)")]],
    ],
    [
      "S4.9 T4.1 dynamic without default_tool_config, left out or null",
      `myai:
  toolbox:
    mcps:
      - {name: left-out, ${called}, mode: dynamic}
      - {name: nothing, ${called}, mode: dynamic, default_tool_config: null}
      @mcps
`,
      [
        [
          "4:9",
          "MCP server 'left-out' is configured with mode='dynamic' but missing required field 'default_tool_config'",
        ],
        [
          "5:120",
          "MCP server 'nothing' is configured with mode='dynamic' but missing required field 'default_tool_config'",
        ],
      ],
    ],
    [
      "S4.2 T4.10 servers without mode, named twice or not at all",
      `myai:
  toolbox:
    mcps:
      - {name: c, ${called}}
      - {name: c, url: nope, transport: stdio, mode: lax}
      - {${called}, mode: strict}
      - just text
      @mcps
`,
      [
        ["4:9", `MCP server 'c' ${NO_MODE}`],
        ["5:16", "MCP server 'c' is configured twice in 'mcps'; names must be unique"],
        ["5:41", "Unknown transport: stdio. Use one of: streamable_http, sse"],
        ["5:54", "mode must be one of: strict, dynamic"],
        ["6:9", "name is missing"],
        ["7:9", "myai.toolbox.mcps[3] must be a map that describes one server"],
      ],
    ],
    [
      "S4.8 T4.10 limits and names of tools",
      `myai:
  toolbox:
    max_concurrent: -1
    tools:
      - {name: t, max_instances: 0, timeout: P0D}
      - {name: t}
      - {timeout: PT1S}
    mcps:
      - name: c
        url: http://127.0.0.1:9/mcp
        transport: streamable_http
        mode: dynamic
        default_tool_config: {max_instances: 0, timeout: PT0S, max_instnces: 1}
      @mcps
`,
      [
        ["3:21", "max_concurrent must be a whole number of at least 1"],
        ["5:34", "max_instances must be a whole number of at least 1"],
        ["5:46", "timeout must be longer than zero"],
        ["6:16", "Tool 't' is configured twice in 'tools'; remove one of the entries"],
        ["7:9", "name is missing"],
        ["13:46", "default_tool_config.max_instances must be a whole number of at least 1"],
        ["13:58", "default_tool_config.timeout must be longer than zero"],
        ["13:64", "Unknown key 'max_instnces'. Did you mean 'max_instances'?"],
      ],
    ],
    [
      "S2: transports and fields of tools.mcp_servers",
      "tools:\n  mcp_servers:\n    a: {transport: pigeon}\n    b: {transport: http}\n    c: {args: [x]}\n    @servers\n",
      [
        ["3:20", "Unknown transport: pigeon. Use one of: stdio, http"],
        ["4:8", "MCP server 'b' uses transport 'http' but is missing required field 'url'"],
        ["5:8", "MCP server 'c' uses transport 'stdio' but is missing required field 'command'"],
      ],
    ],
    [
      "mcpServers: entries of other programs",
      'mcpServers:\n  a: {command: 5}\n  b: {url: "javascript:alert(1)"}\n  c: {}\n  @servers\n',
      [
        ["2:16", "command must be text; put it in quotes if it looks like something else"],
        ["3:12", "The url of MCP server 'b' must start with http:// or https://"],
        ["4:6", "MCP server 'c' needs 'command' (a program to start) or 'url' (a server to call)"],
      ],
    ],
  ])("%s", async (_title, text, problems) => {
    await expectRefused(text, problems);
  });
});

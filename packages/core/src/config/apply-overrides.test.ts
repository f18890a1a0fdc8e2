import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "./document/config-problem.ts";
import { parseConfig } from "./parse-config.ts";

const S4 = `myai:
  toolbox:
    max_concurrent: 10
    tools: []
    mcps:
      - { name: customers, url: "http://localhost:1/mcp", transport: streamable_http, mode: strict }
      - { name: internal-tools, url: "http://localhost:2/mcp", transport: streamable_http, mode: strict }
`;
const NATIVE = `servers:
  my-files: { command: files, mode: strict }
`;

function parse(text: string, env: Record<string, string>) {
  const parsed = parseConfig(text, { file: "tacklebox.yaml", env });
  if (parsed.kind === "invalid") return parsed.problems.map(formatConfigProblem);
  return parsed.config;
}

const DEFAULTS = '{"max_instances": 3, "timeout": "PT5S"}';

describe("environment overrides", () => {
  it("D.17 S4.40 replace a scalar of S4's file", () => {
    expect(parse(S4, { APP_MYAI__TOOLBOX__MAX_CONCURRENT: "3" })).toMatchObject({ toolbox: { maxConcurrent: 3 } });
  });

  it.each(["0", "customers", "CUSTOMERS"])("D.17 S4.40 change one server by index or name: %s", (which) => {
    const env = {
      [`APP_MYAI__TOOLBOX__MCPS__${which}__MODE`]: "dynamic",
      [`APP_MYAI__TOOLBOX__MCPS__${which}__DEFAULT_TOOL_CONFIG`]: DEFAULTS,
    };
    expect(parse(S4, env)).toMatchObject({
      servers: [
        { key: "customers", mode: "dynamic", defaultToolConfig: { maxInstances: 3, timeoutMs: 5_000 } },
        { mode: "strict" },
      ],
    });
  });

  it("D.17 write a hyphen in a name as an underscore", () => {
    expect(parse(S4, { APP_MYAI__TOOLBOX__MCPS__INTERNAL_TOOLS__REQUIRED: "false" })).toMatchObject({
      servers: [{ required: true }, { required: false }],
    });
  });

  it("D.17 report an index out of range and an unknown name with the variable", () => {
    expect(
      parse(S4, { APP_MYAI__TOOLBOX__MCPS__7__MODE: "strict", APP_MYAI__TOOLBOX__MCPS__NOBODY__MODE: "strict" }),
    ).toEqual([
      "environment variable APP_MYAI__TOOLBOX__MCPS__7__MODE\n'mcps' has 2 entries, counted from 0, and there is no entry 7",
      "environment variable APP_MYAI__TOOLBOX__MCPS__NOBODY__MODE\n'mcps' has 2 entries, counted from 0, and no entry is named 'NOBODY'",
    ]);
  });

  it("report a bad value with the variable, not with a line of the file", () => {
    const [problem] = parse(S4, { APP_MYAI__TOOLBOX__MAX_CONCURRENT: "-1" }) as string[];
    expect(problem).toMatch(/^environment variable APP_MYAI__TOOLBOX__MAX_CONCURRENT\n.*max_concurrent/);
  });

  it("change native files with TACKLEBOX__, and can set new fields", () => {
    const env = {
      TACKLEBOX__SERVERS__MY_FILES__MODE: "dynamic",
      TACKLEBOX__TOOLBOX__MAX_CONCURRENT: "2",
      TACKLEBOX_DATA: "x",
    };
    expect(parse(NATIVE, env)).toMatchObject({
      toolbox: { maxConcurrent: 2 },
      servers: [{ key: "my-files", mode: "dynamic" }],
    });
  });

  it("are refused for a step into a single value and for an empty step", () => {
    expect(parse(NATIVE, { TACKLEBOX__SERVERS__MY_FILES__COMMAND__DEEPER: "x" })).toEqual([
      "environment variable TACKLEBOX__SERVERS__MY_FILES__COMMAND__DEEPER\n'command' is a single value and has no 'DEEPER'",
    ]);
    expect(parse(NATIVE, { TACKLEBOX__SERVERS____MODE: "x" })).toEqual([
      "environment variable TACKLEBOX__SERVERS____MODE\nA step between two double underscores is empty",
    ]);
  });

  it("with S4's prefix do not change other files", () => {
    expect(parse(NATIVE, { APP_MYAI__TOOLBOX__MAX_CONCURRENT: "3" })).toMatchObject({ toolbox: { maxConcurrent: 10 } });
  });
});

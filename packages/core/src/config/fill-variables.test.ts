import { describe, expect, it } from "vitest";
import { Report } from "./document/report.ts";
import { fillServerEntry, fillVariables } from "./fill-variables.ts";

function fill(value: unknown, env: Record<string, string | undefined> = {}) {
  const report = new Report();
  const filled = fillVariables(value, ["root"], { env, usedBy: "server 'a'" }, report);
  return { filled, problems: report.problems.map(({ path, message }) => [path, message]) };
}

describe("fillVariables", () => {
  it("fills every text at every depth, and nothing else", () => {
    const value = { "${A}": ["${A}", { b: "x${A}y${A}z", c: 1, d: null, e: true }] };
    expect(fill(value, { A: "1" })).toEqual({
      filled: { "${A}": ["1", { b: "x1y1z", c: 1, d: null, e: true }] },
      problems: [],
    });
  });

  it.each([
    ["${A:-d}", {}, "d"],
    ["${A:-d}", { A: "" }, "d"],
    ["${A:-d}", { A: "1" }, "1"],
    ["${A:-}", {}, ""],
    ["${A:-http://x:1/}", {}, "http://x:1/"],
    ["${A}", { A: "" }, ""],
    ["${env:A}", { A: "1" }, "1"],
    ["$${A}", { A: "1" }, "${A}"],
    ["$${A} ${A}", { A: "1" }, "${A} 1"],
    ["$A $ {A} 5$", { A: "1" }, "$A $ {A} 5$"],
    ["${A}", { A: "${B}$$" }, "${B}$$"],
  ])("reads %s with %j as %s", (text, env, filled) => {
    expect(fill(text, env)).toEqual({ filled, problems: [] });
  });

  it("reports each missing variable, what uses it and where", () => {
    expect(fill({ args: ["${A}${B}"] }, { A: undefined }).problems).toEqual([
      [
        ["root", "args", 0],
        "The environment variable 'A', used by server 'a', is not set. Set it, or give a default: ${A:-default}",
      ],
      [
        ["root", "args", 0],
        "The environment variable 'B', used by server 'a', is not set. Set it, or give a default: ${B:-default}",
      ],
    ]);
  });

  it("ignores members that every object inherits", () => {
    expect(fill("${constructor} ${toString}").problems).toHaveLength(2);
  });

  it.each(["${}", "${", "${A", "${a b}", "${1}", "${A-b}"])("refuses %s, which is not a variable", (text) => {
    expect(fill(text, { A: "1" }).problems).toEqual([
      [
        ["root"],
        "A ${…} used by server 'a' is not a variable. Write ${NAME} or ${NAME:-default}, or $${ for the characters themselves",
      ],
    ]);
  });
});

function fillEntry(entry: unknown, env: Record<string, string> = {}) {
  const report = new Report();
  const filled = fillServerEntry(entry, ["servers", "a"], { env, usedBy: "server 'a'" }, report);
  return { filled, problems: report.problems.map(({ path, message }) => [path.slice(2).join("."), message]) };
}

describe("stored secrets", () => {
  it("D.21 stay references wherever a credential is allowed", () => {
    const entry = {
      url: "https://${HOST}/v1/${secret:path}/mcp?key=${secret:query/key}&x=1",
      headers: { Authorization: "Bearer ${secret:github.token}", "X-Both": "${secret:a}${HOST}${secret:b}" },
      authentication: { type: "basic", username: "${secret:user}", password: "${secret:mcp:1:password}" },
      env: { TOKEN: "${secret:token}" },
      args: ["--token", "${secret:token}"],
    };
    expect(fillEntry(entry, { HOST: "example.com" })).toEqual({
      filled: {
        ...entry,
        url: "https://example.com/v1/${secret:path}/mcp?key=${secret:query/key}&x=1",
        headers: { ...entry.headers, "X-Both": "${secret:a}example.com${secret:b}" },
      },
      problems: [],
    });
  });

  it.each([
    ["command", { command: "${secret:x}" }],
    ["cwd", { cwd: "/home/${secret:x}" }],
    ["description", { description: "${secret:x}" }],
    ["transport", { transport: "${secret:x}" }],
    ["authentication.type", { authentication: { type: "${secret:x}" } }],
    ["authentication.header", { authentication: { header: "${secret:x}" } }],
    ["allow[0]", { allow: ["${secret:x}"] }],
    ["headers.a.b", { headers: { a: { b: "${secret:x}" } } }],
    ["args", { args: "${secret:x}" }],
  ])("T07 are refused in %s", (field, entry) => {
    expect(fillEntry(entry).problems).toEqual([
      [
        field.replace("[", ".").replace("]", ""),
        `A stored secret (\${secret:…}), used by server 'a', may not stand in '${field}'. It may in headers, authentication, env, args and the path or query of a server's url`,
      ],
    ]);
  });

  it.each([
    "${secret:x}",
    "${secret:x}://example.com/",
    "https://${secret:x}/",
    "https://${secret:x}.example.com/mcp",
    "https://example.com:${secret:x}/mcp",
    "https://${secret:x}@example.com/mcp",
    "https:\\\\${secret:x}\\mcp",
    "https:${secret:x}/mcp",
    "https:///${secret:x}/mcp",
    "https://example.com${secret:x}/mcp",
    "https://example.com/mcp#${secret:x}",
    "https://${secret:x}/mcp?key=${secret:y}",
  ])("T07 never decide where a request goes: %s", (url) => {
    expect(fillEntry({ url }).problems).toEqual([
      [
        "url",
        "A stored secret (${secret:…}), used by server 'a', may stand only in the path or query of the url, not before them and not behind #",
      ],
    ]);
  });

  it.each([
    ["$${secret:x}", {}],
    ["${A}", { A: "${secret:x}" }],
    ["${A:-${secret:x}}", {}],
    ["${A}secret:x}", { A: "${" }],
  ])("T07 can be named by the file only: %s with %j", (text, env) => {
    expect(fillEntry({ env: { TOKEN: text } }, env).problems).toEqual([
      [
        "env.TOKEN",
        "A stored secret (${secret:…}), used by server 'a', must be written as it is: not with $$, and not in a default or an environment variable",
      ],
    ]);
  });

  it.each(["${secret:}", "${secret: x}", "${secret:-x}", "${secret:a b}", "${secret:ü}"])(
    "refuses the name in %s",
    (text) => {
      expect(fillEntry({ env: { TOKEN: text } }).problems).toEqual([
        [
          "env.TOKEN",
          "A ${secret:…} used by server 'a' does not name a secret. Names have letters, digits and _ - . : / and start with a letter or digit",
        ],
      ]);
    },
  );

  it("are refused outside of servers", () => {
    expect(fill({ max_wait: "${secret:x}" }).problems).toEqual([
      [
        ["root", "max_wait"],
        "A stored secret (${secret:…}), used by server 'a', may not stand in 'max_wait'. It may in headers, authentication, env, args and the path or query of a server's url",
      ],
    ]);
  });

  it("are suggested by name where another program would ask a person", () => {
    expect(fillEntry({ env: { A: "${input:git hub}" } }).problems).toEqual([
      [
        "env.A",
        "Inputs (${input:…}), used by server 'a', are not asked for here. Store the value as a secret and write ${secret:NAME}",
      ],
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { checkConfig, expectRefused, type Problem } from "../support/refused-config.ts";
import { SECRET } from "../support/tripwire.ts";

describe("a config with mistakes is refused before anything starts", () => {
  it("(without a mistake, the same servers are reached)", async () => {
    const { code, touched, stdout, stderr } = await checkConfig("servers:\n  @servers\n");
    expect(code).toBe(0);
    expect(touched).toEqual(["the program was started", "the address was called"]);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it.each<[string, string, readonly Problem[]]>([
    [
      "unknown keys at every level",
      "sevrers: {}\ntoolbox:\n  max_concurent: 3\n  tools:\n    - {name: t, max-instance: 1}\nservers:\n  a: {comand: x}\n  b: {command: x, colour: red}\n  @servers\n",
      [
        ["1:1", "Unknown key 'sevrers'. Did you mean 'servers'?"],
        ["3:3", "Unknown key 'max_concurent'. Did you mean 'max_concurrent'?"],
        ["5:17", "Unknown key 'max-instance'. Did you mean 'max_instances'?"],
        ["7:7", "Unknown key 'comand'. Did you mean 'command'?"],
        [
          "8:19",
          "Unknown key 'colour'. Known here: transport, command, args, env, cwd, url, headers, authentication, allow_insecure_http, description, protocol, mode, default_tool_config, required, enabled, retry_attempts, timeout, reconnect, max_concurrent, rate, include, approval, pin, allow, deny, prompts.",
        ],
      ],
    ],
    [
      "no key that describes servers",
      "sevrers:\n  @servers\n",
      [
        [
          "1:1",
          "No servers are described here: 'sevrers' is not a key that does. Did you mean 'servers'? Expected 'servers' (tacklebox.yaml), 'mcpServers', 'context_servers', 'myai.toolbox' or 'tools.mcp_servers'.",
        ],
      ],
    ],
    [
      "wrong types of toolbox settings",
      "toolbox:\n  max_concurrent: many\n  tools: {a: 1}\n  local: sum\n  collisions: maybe\nservers:\n  @servers\n",
      [
        ["2:19", "max_concurrent must be a whole number of at least 1"],
        ["3:10", "tools must be a list of tools"],
        ["4:10", "local must be a list of names"],
        ["5:15", "collisions must be one of: hide, qualify"],
      ],
    ],
    [
      "wrong types in servers",
      "servers:\n  a:\n    command: [x]\n    args: x\n    env: [a]\n    enabled: yes please\n    timeout: soon\n  b: 7\n  c:\n  @servers\n",
      [
        ["3:14", "command must be text; put it in quotes if it looks like something else"],
        ["4:11", "args must be a list of strings"],
        ["5:10", "env must be a map of names to strings"],
        ["6:14", "enabled must be true or false"],
        ["7:14", "timeout must be a duration such as PT30S, 00:00:30 or 30 (a plain number is seconds)"],
        ["8:6", "servers.b must be a map that describes one server"],
        ["9:5", "servers.c must be a map that describes one server"],
      ],
    ],
    [
      "a list where a map of servers belongs",
      "servers: [a, b]\n",
      [["1:10", "servers must be a map of server names to entries"]],
    ],
    [
      "YAML keys written twice",
      "servers:\n  a: {command: x}\n  a: {command: y, command: z}\n  @servers\n",
      [["3:3", "The key 'a' is written twice in one map; remove one of them."]],
    ],
    [
      "tools and local tools named twice (T4.10)",
      "toolbox:\n  local: [sum_numbers, sum_numbers]\n  tools:\n    - name: t\n    - name: t\n    - {name: u, server: tripwire}\n    - {name: u, mcp: tripwire}\nservers:\n  @servers\n",
      [
        ["2:24", "'sum_numbers' is in 'local' twice; remove one"],
        ["5:13", "Tool 't' is configured twice in 'tools'; remove one of the entries"],
        ["7:14", "Tool 'u' is configured twice in 'tools' for server 'tripwire'; remove one of the entries"],
      ],
    ],
    [
      "zero and negative limits and timeouts (S4.8)",
      `toolbox:
  max_concurrent: 0
  max_wait: -1
  tools:
    - {name: t, max_instances: 0, timeout: 0}
    - {name: u, max_instances: -3, timeout: -PT5S}
    - {name: v, max_instances: 1.5, timeout: "30"}
servers:
  a: {command: x, timeout: 0, retry_attempts: -1, max_concurrent: -2}
  b: {command: x, timeout: PT6M, rate: {per_minute: 0, burst: -1}, default_tool_config: {timeout: P1M}}
  @servers
`,
      [
        ["2:19", "max_concurrent must be a whole number of at least 1"],
        ["3:13", "max_wait must be longer than zero"],
        ["5:32", "max_instances must be a whole number of at least 1"],
        ["5:44", "timeout must be longer than zero"],
        ["6:32", "max_instances must be a whole number of at least 1"],
        ["6:45", "timeout must be longer than zero"],
        ["7:32", "max_instances must be a whole number of at least 1"],
        ["7:46", "timeout must be a number without quotes, or a duration such as PT30S: text needs a unit"],
        ["9:28", "timeout must be longer than zero"],
        ["9:47", "retry_attempts must be a whole number from 0 to 5"],
        ["9:67", "max_concurrent must be a whole number of at least 1"],
        ["10:28", "timeout must be from 1 second to 5 minutes (PT1S to PT5M)"],
        ["10:53", "rate.per_minute must be a whole number of at least 1"],
        ["10:63", "rate.burst must be a whole number of at least 1"],
        [
          "10:99",
          "default_tool_config.timeout must not use years or months, whose length varies: use days, hours, minutes or seconds",
        ],
      ],
    ],
    [
      "addresses that are none",
      `servers:
  a: {url: "javascript:alert('secret-canary')"}
  b: {url: ftp://example.com/secret-canary}
  c: {url: "https://someone:secret-canary@example.com/mcp"}
  d: {url: example.com/secret-canary}
  e: {url: "https://example.com/a b"}
  f: {url: file:///etc/passwd}
  @servers
`,
      [
        ["2:12", "The url of MCP server 'a' must start with http:// or https://"],
        ["3:12", "The url of MCP server 'b' must start with http:// or https://"],
        [
          "4:12",
          "The url of MCP server 'c' must not contain a user name or password; use 'authentication' or 'headers'",
        ],
        ["5:12", "The url of MCP server 'd' must be a full address such as https://example.com/mcp"],
        ["6:12", "The url of MCP server 'e' must be a full address such as https://example.com/mcp"],
        ["7:12", "The url of MCP server 'f' must start with http:// or https://"],
      ],
    ],
    [
      "servers that cannot be reached as they are written",
      `servers:
  a: {}
  b: {transport: http}
  c: {transport: stdio}
  d: {command: x, url: "https://example.com"}
  e: {transport: pigeon}
  f: {command: x, headers: {A: secret-canary}}
  g: {command: " "}
  @servers
`,
      [
        ["2:6", "MCP server 'a' needs 'command' (a program to start) or 'url' (a server to call)"],
        ["3:6", "MCP server 'b' uses transport 'http' but is missing required field 'url'"],
        ["4:6", "MCP server 'c' uses transport 'stdio' but is missing required field 'command'"],
        ["5:6", "MCP server 'd' has both 'command' and 'url'; keep the one it is reached by"],
        ["6:18", "Unknown transport: pigeon. Use one of: stdio, http, streamable-http, sse"],
        ["7:19", "MCP server 'f' uses transport 'stdio', which has no 'headers'; remove it, or change the transport"],
        ["8:6", "MCP server 'g' needs 'command' (a program to start) or 'url' (a server to call)"],
      ],
    ],
    [
      "variables that are not set, or are none",
      `toolbox: {tools: [{name: "\${NO_NAME}"}]}
servers:
  a: {command: x, env: {T: "secret-canary \${NOT_SET}"}}
  b: {url: "https://example.com/\${ALSO_NOT}"}
  c: {command: "\${1x}"}
  d: {command: "\${input:x}"}
  @servers
`,
      [
        [
          "1:26",
          "The environment variable 'NO_NAME', used by the toolbox, is not set. Set it, or give a default: ${NO_NAME:-default}",
        ],
        [
          "3:28",
          "The environment variable 'NOT_SET', used by server 'a', is not set. Set it, or give a default: ${NOT_SET:-default}",
        ],
        [
          "4:12",
          "The environment variable 'ALSO_NOT', used by server 'b', is not set. Set it, or give a default: ${ALSO_NOT:-default}",
        ],
        [
          "5:16",
          "A ${…} used by server 'c' is not a variable. Write ${NAME} or ${NAME:-default}, or $${ for the characters themselves",
        ],
        [
          "6:16",
          "Inputs (${input:…}), used by server 'd', are not asked for here. Store the value with: tacklebox secret set x and write ${secret:x}",
        ],
      ],
    ],
    [
      "credentials over plain http (D.15)",
      `servers:
  a: {url: "http://example.com/mcp", headers: {Authorization: Bearer secret-canary}}
  b: {url: "http://example.com/mcp?api_key=secret-canary"}
  c: {url: "http://example.com/mcp", authentication: {type: bearer, token: secret-canary}}
  @servers
`,
      ["a", "b", "c"].map((name, index) => [
        `${index + 2}:12`,
        `MCP server '${name}' would receive credentials over plain http, where others can read them; use https, or set allow_insecure_http: true if the network is trusted`,
      ]),
    ],
    [
      "credentials that are none",
      `servers:
  a: {url: "https://example.com", authentication: {type: bearr, token: secret-canary}}
  b: {url: "https://example.com", authentication: {type: bearer}}
  c: {url: "https://example.com", authentication: secret-canary}
  d: {url: "https://example.com", headers: {"bad name": secret-canary, Ok: "secret-canary\\nX: y"}}
  @servers
`,
      [
        ["2:58", "authentication.type must be one of: none, bearer, api-key, basic"],
        ["3:51", "authentication.token is missing"],
        ["4:51", "authentication must be a map with a 'type': none, bearer, api-key or basic"],
        ["5:45", "headers.bad name is not a valid header name"],
        [
          "5:76",
          "headers.Ok must be one line of plain characters: line breaks and special characters cannot be sent in a header",
        ],
      ],
    ],
    [
      "names of servers and local tools that do not exist",
      "toolbox:\n  local: [sum_nubmers]\n  tools:\n    - {name: t, server: tripwir}\n    - {name: u, mcp: elsewhere}\nservers:\n  @servers\n",
      [
        ["2:11", "'sum_nubmers' is not a local tool. Did you mean 'sum_numbers'?"],
        ["4:25", "Tool 't' is bound to server 'tripwir', which is not configured. Did you mean 'tripwire'?"],
        ["5:22", "Tool 'u' is bound to server 'elsewhere', which is not configured."],
      ],
    ],
    [
      "names that would deceive a terminal",
      'servers:\n  "a\\e[31m": {command: x}\n  b: {command: x, "\\e]0;owned\\a\\u202e": 1, env: {"A=B": c}}\n  @servers\n',
      [
        ["2:3", "A server's name must have 1 to 100 characters and no control characters"],
        [
          "3:19",
          "Unknown key '?]0;owned??'. Known here: transport, command, args, env, cwd, url, headers, authentication, allow_insecure_http, description, protocol, mode, default_tool_config, required, enabled, retry_attempts, timeout, reconnect, max_concurrent, rate, include, approval, pin, allow, deny, prompts.",
        ],
        ["3:50", "env.A=B is not a valid name of an environment variable"],
      ],
    ],
  ])("%s", async (_title, text, problems) => {
    await expectRefused(text, problems);
  });
});

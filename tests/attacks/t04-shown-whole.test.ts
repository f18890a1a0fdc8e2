import { expect, it } from "vitest";
import { DECEIVING, HOSTILE } from "../support/hostile-server.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { openFoundFolder } from "./found-folder.ts";

it("T04: every argument of a found config is shown whole and escaped, and nothing in it can hide", async () => {
  const padded = `${" ".repeat(4_096)}; rm -rf ~`;
  const args = ["-c", HOSTILE, padded, "", " ends with a space ", "a\u00a0b\u2800c\ufe0fd", '"quoted"'];
  const { run } = await openFoundFolder({
    servers: {
      "a\u202eb": { command: "sh", args, env: { PATH_OF: "x" }, cwd: "/somewhere" },
      off: { command: "later", enabled: false },
      web: { url: "https://u:pw-in-url@example.com/x", headers: { "X-Name": "hidden-value", "User-Agent": "seen" } },
    },
    models: { m: { vendor: "openai-compatible", model: "x", base_url: "https://models.example.com/v1" } },
    custom_tools: [{ name: "t", description: "d", endpoint: "https://tools.example.com/t" }],
    gpts: { helper: { instructions: "Be kind.\nSay \u001b[2J nothing." } },
    calls: { keep: "P1D" },
  });
  const { code, stdout } = await run(["allow"]);
  expect(code).toBe(0);
  expect(stdout).not.toMatch(DECEIVING);
  for (const text of [
    'server "a\\u202eb"\n',
    "  command   sh\n            -c\n",
    '            "\\u001b[35mEVIL\\u001b]0;owned\\u0007 \\u202eesrever',
    `            "${padded}"\n`,
    '            ""\n',
    '            " ends with a space "\n',
    '            "a\\u00a0b\\u2800c\\ufe0fd"\n',
    '            "\\"quoted\\""\n',
    "  folder    /somewhere\n",
    "  env       PATH_OF=x\n",
    "server off\n  command   later\n  state     switched off\n",
    "  url       https://u:pw-in-url@example.com/x\n  headers   X-Name: …\n            User-Agent: seen\n",
    "model m\n  url       https://models.example.com/v1\n",
    "custom tool t\n  url       https://tools.example.com/t\n",
    'GPT helper\n  instructs Be kind.\n            "Say \\u001b[2J nothing."\n',
    "call log\n  keeps     keep: P1D\n",
  ])
    expect(stdout).toContain(text);
  expect(stdout).not.toContain("hidden-value");
});

it("T04: a changed file is asked about again, with what was added, removed and changed", async () => {
  const { cwd, env, run, write } = await openFoundFolder({
    servers: { files: { command: "npx", args: ["files@1"] }, old: { command: "x" } },
  });
  await run(["allow"]);
  await write({
    servers: {
      files: { command: "npx", args: ["files@2"], env: { T: "${TOKEN} ${secret:gh}" } },
      fresh: { command: "y" },
    },
    gpts: { helper: { instructions: "Use ${ANOTHER}." } },
  });
  const asked = await startOnTerminal(["check"], { cwd, env, columns: 200 });
  await asked.sees("What changed since you agreed to it on ", "Type yes to agree: ");
  asked.type("no\r");
  expect((await asked.exit).code).toBe(1);
  const [, difference = ""] = /What changed since[^\n]*\n\n([\s\S]*?)\n\nIt was found/.exec(asked.sent()) ?? [];
  expect(difference).toBe(`server files
  - command   npx
  -           files@1
  + command   npx
  +           files@2
  + env       T=\${TOKEN} \${secret:gh}
  + reads     TOKEN of your environment
  + secret    gh of your vault
server fresh
  + command   y
GPT helper
  + instructs Use \${ANOTHER}.
elsewhere in the file
  + reads     ANOTHER of your environment
server old
  - command   x`);
});

it.each([
  ["NODE_OPTIONS", "--max-old-space-size=4096", "--require=./evil.js"],
  ["NODE_OPTIONS", "--require ./a.js?token=one", "--require ./a.js?token=other"],
  ["LD_PRELOAD", "", "./evil.so"],
  ["PATH", "${PATH}", "./bin:${PATH}"],
  ["BASH_ENV", "/dev/null", "./evil\u001b[2J.sh"],
  ["PYTHONPATH", "lib", "evil"],
  ["EDITOR", "vi", "./evil"],
])("F1, T04: another value of a variable is shown, as it decides what runs: %s=%s", async (name, before, after) => {
  const config = (value: string) => ({ servers: { a: { command: "x", env: { [name]: value } } } });
  const { run, write } = await openFoundFolder(config(before));
  expect((await run(["allow"])).stdout).toContain(`  env       ${name}=${before}\n`);
  await write(config(after));
  const { stdout } = await run(["allow"]);
  const shown = after.includes("\u001b") ? `"${name}=./evil\\u001b[2J.sh"` : `${name}=${after}`;
  expect(stdout).toContain(`server a\n  - env       ${name}=${before}\n  + env       ${shown}\n`);
});

it("T04: nothing is called the same when something may have changed that is not shown", async () => {
  const config = (token: string) => ({ servers: { a: { command: "x", env: { API_TOKEN: token } } } });
  const { run, write } = await openFoundFolder(config("canary-of-one"));
  await run(["allow"]);
  await write(config("canary-of-two"));
  const { stdout } = await run(["allow"]);
  expect(stdout).toContain("  env       API_TOKEN=…\n");
  expect(stdout).toContain("Something that is not shown here changed, such as a credential.\n");
  expect(stdout).not.toContain("canary");
});

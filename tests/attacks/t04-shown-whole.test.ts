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
      web: { url: "https://u:pw-in-url@example.com/x", headers: { "X-Name": "hidden-value" } },
    },
    models: { m: { vendor: "openai-compatible", model: "x", base_url: "https://models.example.com/v1" } },
    custom_tools: [{ name: "t", description: "d", endpoint: "https://tools.example.com/t" }],
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
<<<<<<< HEAD
    '            "a\\u00a0b\\u2800c\\ufe0fd"\n',
=======
    '            "a\\u{a0}b\\u{2800}c\\ufe0fd"\n',
>>>>>>> s17-merge
    '            "\\"quoted\\""\n',
    "  folder    /somewhere\n",
    "  env       PATH_OF\n",
    "server off\n  command   later\n  state     switched off\n",
    "  url       https://u:pw-in-url@example.com/x\n  headers   X-Name\n",
    "model m\n  url       https://models.example.com/v1\n",
    "custom tool t\n  url       https://tools.example.com/t\n",
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
  + env       T
  + reads     TOKEN of your environment
  + secret    gh of your vault
server fresh
  + command   y
elsewhere in the file
  + reads     ANOTHER of your environment
server old
  - command   x`);
});

import { describe, expect, it } from "vitest";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { openFoundFolder } from "./found-folder.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ASKED = "Type yes to agree: ";

async function openAsked(...args: readonly string[]) {
  const folder = await openFoundFolder({ servers: { a: fixtureServer("odd", { GREETING: "from-the-server" }) } });
  const { cwd, env } = folder;
  const asked = await startOnTerminal(args, {
    cwd,
    env: { ...env, TACKLEBOX_VAULT_KEY: "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=" },
  });
  await asked.sees(ASKED);
  return { folder, asked };
}

describe("F1: a command that reads stdin asks about a found config before that", () => {
  const ADD = ["add", "web", "--url", "https://example.com/mcp", "--header", "Authorization: Bearer -"];

  it("F1: the secret of a new server is typed after the yes", async () => {
    const { asked, folder } = await openAsked(...ADD);
    asked.type("yes\r");
    await asked.sees("Value of Authorization");
    asked.type("secret-0123456789\r");
    await asked.sees("Added 'web' to ");
    expect((await asked.exit).code).toBe(0);
    expect((await folder.run(["check"])).code).not.toBe(1);
  });

  it("F1: the arguments of a call are typed after the yes", async () => {
    const { asked } = await openAsked("call", "a", "env", "--args", "-");
    asked.type("yes\r");
    asked.type(`{}\r${CTRL_D}`);
    const { code, stdout } = await asked.exit;
    expect([code, stdout]).toEqual([0, expect.stringContaining("from-the-server")]);
  });

  it("F1: a prompt is typed after the yes", async () => {
    const { asked } = await openAsked("run", "-", "--model", "demo");
    asked.type("yes\r");
    asked.type(`list my files\r${CTRL_D}`);
    expect((await asked.exit).code).toBe(0);
  });

  it.each([[["call", "a", "env", "--args", "-"]], [["run", "-"]], [ADD], [["tools"]]])(
    "F1: no reads nothing more: %j",
    async (args) => {
      const { asked } = await openAsked(...args);
      asked.type("no\r");
      await asked.sees("You did not agree to this config file");
      expect((await asked.exit).code).toBe(1);
    },
  );

  it.each([[["call", "a", "env", "--args", "-"]], [["run", "-"]], [ADD], [["tools"]]])(
    "F1: Ctrl-C at the question ends the command with 130: %j",
    async (args) => {
      const { asked } = await openAsked(...args);
      asked.type(CTRL_C);
      expect((await asked.exit).code).toBe(130);
    },
  );
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DECEIVING, HOSTILE, hostileServer } from "../support/hostile-server.ts";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { everythingPath, fixturePath } from "../support/servers.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, nodeServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const ENTER = "\r";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ESCAPE = "\u001b";
const ASKED = "no, because …";
/**
 * Everything a chat may send to a terminal besides text: its own colours, erasing and moving at the bottom, and
 * switching bracketed paste. It returns to the start of a line only to erase or to move; a server's colours are not
 * among these.
 */
const OURS = new RegExp(
  `${ESCAPE}\\[(?:[0-3]m|3[1236]m|\\d*[AC]|J|\\?2004[hl])|\r(?=${ESCAPE}\\[\\d*[ACJ]|${ESCAPE}\\[J|\n|$)`,
  "g",
);

const everything = async () => toolboxFile({ servers: { everything: nodeServer(everythingPath) } });

describe("a chat on", () => {
  it("a narrow terminal without colours, with characters of two columns", async () => {
    const chat = await startOnTerminal(["chat", "--no-color", "--config", await everything()], { columns: 40 });
    await chat.sees("15 tools", "› ");
    chat.type(`echo message=${"你好".repeat(12)}${ENTER}`);
    await chat.sees(ASKED);
    chat.type("y");
    await chat.sees("answered", "› ");
    const lines = chat.lines();
    expect(lines).toContain("? 1 echo · everything wants to run with");
    expect(lines).toContain(`  {"message":"${"你好".repeat(6)}…`);
    expect(lines.join("\n")).toContain(`echo answered: Echo: ${"你好".repeat(4)}你\n好${"你好".repeat(7)}\n`);
    expect(chat.sent()).not.toMatch(new RegExp(`${ESCAPE}\\[\\d+m`));
    chat.type(CTRL_D);
    expect((await chat.exit).code).toBe(0);
  });

  it("a terminal that cannot erase, where an answer that lasts takes an Enter of its own", async () => {
    const env = { TERM: "dumb", TACKLEBOX_DATA: await temporaryFolder() };
    const chat = await startOnTerminal(["chat", "--config", await everything()], { env });
    await chat.sees("> ");
    chat.type(`echo message=hello${ENTER}`);
    await chat.sees("r no, because …? ");
    chat.type(`s${ENTER}${ENTER}`);
    await chat.sees("That is kept for your next prompt.", "r no, because …? ");
    chat.type(`s${ENTER}`);
    await chat.sees("s selected: Enter allows it for this session, anything else goes back. ");
    chat.type(`n${ENTER}`);
    await chat.sees("✗ 1 echo · everything · denied", "> ");
    chat.type(`/quit${ENTER}`);
    await chat.exit;
    const { stdout } = await runProgram(["grants", "list", "--json"], { env });
    expect(stdout).not.toContain("echo");
  });

  it("a terminal that cannot erase: lines in, lines out, and no escape at all", async () => {
    const chat = await startOnTerminal(["chat", "--config", await everything()], { env: { TERM: "dumb" } });
    await chat.sees("> ");
    chat.type(`echo message=hello${ENTER}`);
    await chat.sees("wants to run with", "r no, because …? ");
    chat.type(`y${ENTER}`);
    await chat.sees("✓ 1 echo", "echo answered: Echo: hello", "> ");
    chat.type(`/quit${ENTER}`);
    expect((await chat.exit).code).toBe(0);
    expect(chat.sent()).not.toContain(ESCAPE);
  });
});

describe("T18 in a chat", () => {
  it("no byte of a server moves the cursor, colours the screen or hides", async () => {
    const config = await toolboxFile({
      servers: { hostile: await hostileServer(), dying: await hostileServer("die") },
    });
    const chat = await startOnTerminal(["chat", "--config", config]);
    await chat.sees("hostile 5 tools · dying is down", "› ");
    for (const tool of ["look", "fail", "refuse", "crash"]) {
      chat.type(`${tool}${ENTER}`);
      await chat.sees(ASKED);
      chat.type("y");
      await chat.sees(new RegExp(`[✓✗] \\d ${tool}`), "EVIL", /\n›/);
    }
    for (const command of ["/tools", "/servers", "/why look", "/show 1"]) {
      chat.type(`${command}${ENTER}`);
      await chat.sees(/\n›/);
    }
    // However the chat ends, it restores the terminal.
    chat.kill("SIGTERM");
    expect((await chat.exit).code).toBe(130);
    expect(
      chat
        .sent()
        .match(/\[\?2004[hl]/g)
        ?.at(-1),
    ).toBe("[?2004l");
    expect(chat.sent().replace(OURS, "")).not.toMatch(DECEIVING);
    expect(chat.unknown()).toEqual([]);
  });
});

describe("a tool that changed since it was allowed for good", () => {
  it("is asked about again, showing the approved definition beside the current one", async () => {
    const file = join(await temporaryFolder(), "tools.json");
    const list = (description: string) =>
      writeFile(file, JSON.stringify([{ name: "look", description, inputSchema: { type: "object" } }]));
    await list("Looks.");
    const config = await toolboxFile({ servers: { shifty: fixtureServer("shifty", { SHIFTY_FILE: file }) } });
    const chat = await startOnTerminal(["chat", "--config", config]);
    await chat.sees("shifty 1 tool", "› ");
    chat.type(`look${ENTER}`);
    await chat.sees(ASKED);
    chat.type("a");
    await chat.sees("a selected");
    chat.type(ENTER);
    await chat.sees("✓ 1 look", "› ");
    await list(`Looks, and tells. ${HOSTILE}`);
    await chat.sees("changed since they were accepted: look");
    chat.type(`look${ENTER}`);
    await chat.sees(
      "This tool has changed since you allowed it (- before, + now):",
      '-   "description": "Looks."',
      '+   "description": "Looks, and tells. \\u001b[35mEVIL',
    );
    await chat.sees(ASKED);
    chat.type("n");
    await chat.sees("✗ 2 look · shifty · denied", "› ");
    expect(chat.sent().replace(OURS, "")).not.toMatch(DECEIVING);
  });
});

describe("a chat that goes on", () => {
  it("shows where it left off, and remembers its session and what was typed in it", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const config = await everything();
    const first = await runProgram(["chat", "--approve", "auto", "--json", "--config", config], {
      env,
      stdin: "echo message=before\n",
    });
    const session = /"session_id":"([^"]+)"/.exec(first.stdout)?.[1] ?? "";
    const chat = await startOnTerminal(["chat", "--session", session, "--config", config], { env });
    await chat.sees("> echo message=before", "Echo: before", "› ");
    chat.type(`echo message=after${ENTER}`);
    await chat.sees(ASKED);
    chat.type("y");
    await chat.sees("Echo: after", "› ");
    chat.type(CTRL_D);
    await chat.sees("To continue: /sessions 1 in the next chat", `tacklebox chat --session ${session}`);
    expect((await chat.exit).code).toBe(0);
    const { stdout } = await runProgram(["sessions", "show", session, "--json"], { env });
    expect(stdout).toContain("before");
    expect(stdout).toContain("after");
  });
});

describe("a chat with a model that reports its use", () => {
  it("shows the tokens of all its turns below the answer", async () => {
    const vendor = await startScriptedVendor("openai chat", [
      { kind: "answer", text: "Hello.", usage: { inputTokens: 1_204, outputTokens: 85 } },
    ]);
    const config = await toolboxFile({ servers: {}, models: { m: modelEntry("openai chat", vendor.url) } });
    const chat = await startOnTerminal(["chat", "--config", config]);
    await chat.sees("› ");
    chat.type(`hi${ENTER}`);
    await chat.sees("Hello.", "1,204 tokens in, 85 out\n", "› ");
    chat.type(CTRL_D);
    expect((await chat.exit).code).toBe(0);
  });
});

describe("a chat that cannot start", () => {
  it("S4.18 ends once a required server is known to be missing, whatever is typed meanwhile", async () => {
    const config = await toolboxFile({
      servers: { gone: { ...nodeServer("no-such-program.mjs"), required: true, retry_attempts: 0 } },
    });
    const chat = await startOnTerminal(["chat", "--config", config]);
    await chat.sees("› ");
    chat.type(`hello${ENTER}`);
    expect((await chat.exit).code).toBe(1);
    await chat.sees("gone");
    expect(
      chat
        .sent()
        .match(/\[\?2004[hl]/g)
        ?.at(-1),
    ).toBe("[?2004l");
  });
});

describe("while servers connect", () => {
  it("a prompt that waits for them can be cancelled, and the chat can be left", async () => {
    const mute = { ...fixtureServer("fault-stdio"), args: [fixturePath("fault-stdio"), "mute"], required: true };
    const chat = await startOnTerminal(["chat", "--config", await toolboxFile({ servers: { mute } })]);
    await chat.sees("Connecting mute");
    chat.type(`hello${ENTER}`);
    await chat.sees(/› hello\nConnecting mute/);
    chat.type(CTRL_C);
    await chat.sees("Cancelled.", "› ");
    chat.type(CTRL_D);
    expect((await chat.exit).code).toBe(0);
    expect(chat.sent()).not.toContain("Failed to connect");
  });
});

describe("a chat from a pipe", () => {
  it("runs each line as a prompt, in one session, and denies calls that would need approval", async () => {
    const config = await everything();
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    // A model gets only definitions that a person was shown.
    const shown = await startOnTerminal(["chat", "--config", config], { env });
    await shown.sees("15 tools", "› ");
    shown.type(`hello${ENTER}`);
    await shown.sees("New from 'everything'", "I am the demo model", "› ");
    shown.type(`/quit${ENTER}`);
    await shown.exit;

    const { code, stdout, stderr } = await runProgram(["chat", "--config", config], {
      env,
      stdin: "echo message=hello\n\n/tools echo\nget-sum a=1 b=2\n/quit\necho message=unheard\n",
    });
    expect(code).toBe(0);
    expect(stdout).toContain("echo failed: ");
    expect(stdout).toContain("nobody can answer here. Set approval: auto for the tool or its server to allow it");
    expect(stdout).toContain("echo, from 'everything'");
    expect(stdout).toContain("get-sum failed: ");
    expect(stdout).not.toContain("unheard");
    // The demo model introduces itself once per session.
    expect(stdout.match(/I am the demo model/g)).toHaveLength(1);
    expect(stdout + stderr).not.toContain(ESCAPE);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { everythingPath } from "../support/servers.ts";
import { startOnTerminal, type TerminalSession } from "../support/terminal.ts";
import { fixtureServer, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const ENTER = "\r";
const CTRL_C = "\u0003";
const CTRL_U = "\u0015";
const UP = "\u001b[A";
const PROMPT = "› ";
/** The last choice offered for a call: it shows that the question is complete. */
const ASKED = "no, because …";

async function listed(data: string, command: "calls" | "grants list"): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await runProgram([...command.split(" "), "--json"], { env: { TACKLEBOX_DATA: data } });
  const [rows] = Object.values(parsed(stdout));
  return Array.isArray(rows) ? rows : [];
}

describe("the first minute", () => {
  it("a person types at once, sees the model choose a tool, approves it, sees the result, and finds the terminal restored", async () => {
    const data = await temporaryFolder();
    const config = await toolboxFile({ servers: { everything: nodeServer(everythingPath) } });
    const chat = await startOnTerminal(["chat", "--config", config], {
      env: { TACKLEBOX_DATA: data },
      afterwards: "stty -a",
    });
    await chat.sees(PROMPT);
    chat.type(`echo message=hello${ENTER}`);
    await chat.sees("I am the demo model", "? 1 echo · everything wants to run with", '"message": "hello"', ASKED);
    chat.type("y");
    await chat.sees("✓ 1 echo · everything", "echo answered: Echo: hello", PROMPT);
    expect(await listed(data, "calls")).toMatchObject([
      { tool: "echo", status: "success", decision: "person: allowed once" },
    ]);

    chat.type(CTRL_C);
    await chat.sees("Ctrl-C again to quit");
    chat.type(CTRL_C);
    await chat.sees("To continue: /sessions 1 in the next chat, or\ntacklebox chat --session ");
    const { code } = await chat.exit;
    expect(code).toBe(130);
    expect(chat.sent().split("--session ").at(-1)).toMatch(/ icanon [\s\S]* echo /);
    expect(
      chat
        .sent()
        .match(/\[\?2004[hl]/g)
        ?.at(-1),
    ).toBe("[?2004l");
    expect(chat.unknown()).toEqual([]);
  });
});

/** All tests share one chat; each leaves it at an empty prompt. */
describe("in a chat at a terminal", () => {
  let chat: TerminalSession;
  let data: string;

  beforeAll(async () => {
    data = await temporaryFolder();
    const config = await toolboxFile({
      servers: {
        everything: nodeServer(everythingPath),
        gauge: fixtureServer("gauge"),
        faulty: { ...fixtureServer("fault-stdio"), deny: ["echo"] },
      },
    });
    chat = await startOnTerminal(["chat", "--config", config], { env: { TACKLEBOX_DATA: data } });
    await chat.sees(/faulty \d+ tools/, PROMPT);
  });

  async function ask(prompt: string): Promise<void> {
    chat.type(`${prompt}${ENTER}`);
    await chat.sees(ASKED);
  }

  it("an approval for the session lasts for the session", async () => {
    await ask("get-sum a=1 b=2");
    chat.type("s");
    await chat.sees("s selected: Enter allows it for this session, Backspace goes back.");
    chat.type(ENTER);
    await chat.sees("The sum of 1 and 2 is 3", PROMPT);
    chat.type(`get-sum a=3 b=4${ENTER}`);
    await chat.sees(/✓ \d+ get-sum/, "The sum of 3 and 4 is 7", PROMPT);
    expect(await listed(data, "grants list")).toContainEqual(
      expect.objectContaining({ tool: "get-sum", session_id: expect.any(String) }),
    );
  });

  it("a permanent approval is a grant", async () => {
    await ask("ping");
    chat.type("a");
    await chat.sees("a selected: Enter allows it for good, Backspace goes back.");
    chat.type(ENTER);
    await chat.sees(/✓ \d+ ping · faulty/, PROMPT);
    const grant = (await listed(data, "grants list")).find(({ tool }) => tool === "ping");
    expect(grant).toMatchObject({ verdict: "allow" });
    expect(grant).not.toHaveProperty("session_id");
  });

  it("a sentence typed while a question is open grants nothing, and is what the next prompt begins with", async () => {
    const before = await listed(data, "grants list");
    await ask("get-tiny-image");
    chat.type("stop that please");
    await chat.sees(
      "› stop that please",
      "Not an answer: this goes into your next prompt. Enter returns to the question.",
    );
    chat.type(ENTER);
    await chat.sees(ASKED, "Kept for your next prompt: stop that please");
    chat.type("n");
    await chat.sees(/✗ \d+ get-tiny-image · everything · denied/, PROMPT, "stop that please");
    expect(chat.lines().at(-1)).toBe("› stop that please");
    expect(await listed(data, "grants list")).toEqual(before);
    chat.type(CTRL_U);
  });

  it("an answer that lasts, pasted together with its Enter, is text", async () => {
    const before = await listed(data, "grants list");
    await ask("get-tiny-image");
    for (const pasted of [`s${ENTER}`, `\u001b[200~a${ENTER}\u001b[201~`]) {
      chat.type(pasted);
      await chat.sees("Not an answer: this goes into your next prompt.");
      chat.type(ENTER);
      await chat.sees(ASKED, "Kept for your next prompt: ");
    }
    chat.type("n");
    await chat.sees(/✗ \d+ get-tiny-image · everything · denied/, PROMPT);
    expect(await listed(data, "grants list")).toEqual(before);
    // Clears all of its lines.
    chat.type(CTRL_C);
  });

  it("the time a call waits for a person is told apart from the time it runs, while it lasts and afterwards", async () => {
    await ask("slow ms=4000");
    // On a busy machine a second or two may pass without a look at the clock.
    await chat.sees(/gauge · waiting for you, \d+ s/);
    chat.type("y");
    await chat.sees(/⋯ \d+ slow · gauge · running, \d s/);
    const ended = /slow · gauge · \d+\.\d s, after \d+\.\d s waiting for you/;
    await chat.sees(ended, PROMPT);
    chat.type(`/show${ENTER}`);
    await chat.sees(/slow · gauge · ok · \d+\.\d s, after \d+\.\d s waiting for you/, PROMPT);
  });

  it("edited arguments are checked again, and the call is made with them", async () => {
    await ask("echo message=careless");
    chat.type("e");
    await chat.sees("Arguments: ");
    chat.type(`${CTRL_U}{"message":7}${ENTER}`);
    await chat.sees("/message: must be a string", ASKED);
    chat.type("e");
    await chat.sees('Arguments: {"message":7}');
    chat.type(`${CTRL_U}{"message":"careful"}${ENTER}`);
    await chat.sees(/✓ \d+ echo/, '{"message":"careful"}', "Echo: careful", PROMPT);
    const [call] = await listed(data, "calls");
    const decision = "person: allowed once, with edited arguments";
    expect(call).toMatchObject({ arguments: { message: "careful" }, decision });
    chat.type(`/show${ENTER}`);
    await chat.sees('"message": "careful"', "result, as the model reads it", PROMPT);
  });

  it("a no reaches the model with its reason", async () => {
    await ask("echo message=secretly");
    chat.type("r");
    await chat.sees("Why not? ");
    chat.type(`not while they watch${ENTER}`);
    await chat.sees(/✗ \d+ echo · everything · denied/, "echo failed: ", "not while they watch", PROMPT);
  });

  it("Ctrl-C ends a call that runs, and the chat goes on", async () => {
    await ask("slow ms=600000");
    chat.type("y");
    await chat.sees(/⋯ \d+ slow · gauge/);
    chat.type(CTRL_C);
    await chat.sees(/✗ \d+ slow · gauge · cancelled/, "Cancelled.", PROMPT);
    const [call] = await listed(data, "calls");
    expect(call).toMatchObject({ tool: "slow", status: "error", ending: "cancelled" });
  });

  it("S1.43 a server that dies in a call is reported to the person and the model, and comes back", async () => {
    await ask("crash");
    chat.type("y");
    await chat.sees(/✗ \d+ crash · faulty · interrupted/, "crash failed: ", PROMPT);
    await chat.sees("faulty is back.");
  });

  it("the width of the terminal may change while a person types", async () => {
    const text = "one two three four five six seven eight nine ten eleven twelve";
    chat.type(`/servers${ENTER}`);
    await chat.sees("SERVER      STATUS", PROMPT);
    chat.type(text);
    await chat.sees("twelve");
    await chat.resize(40);
    await chat.sees("twelve");
    expect(chat.lines().slice(-2)).toEqual(["› one two three four five six seven eig", "  ht nine ten eleven twelve"]);
    await chat.resize(80);
    await chat.sees("twelve");
    expect(chat.lines().at(-1)).toBe(`› ${text}`);
    // The rows above were neither overwritten nor duplicated.
    const rows = chat.lines().filter((line) => / connected +\d+$/.test(line));
    expect(rows.map((line) => line.split(" ")[0])).toEqual(["everything", "gauge", "faulty"]);
    chat.type(CTRL_U);
  });

  it("earlier lines come back with the up key, and Tab completes", async () => {
    chat.type(`/gpt${ENTER}`);
    await chat.sees("There are no assistants", PROMPT);
    chat.type(UP);
    await chat.sees("/gpt");
    chat.type(`${CTRL_U}/wh\tec\t`);
    await chat.sees("/why echo ");
    chat.type(ENTER);
    await chat.sees("echo of server everything: may be called as echo", PROMPT);
  });
});

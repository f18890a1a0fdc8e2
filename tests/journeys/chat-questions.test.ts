import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { HOSTILE } from "../support/hostile-server.ts";
import { runProgram } from "../support/program.ts";
import { everythingPath } from "../support/servers.ts";
import { startOnTerminal, type TerminalOptions, type TerminalSession } from "../support/terminal.ts";
import { fixtureServer, nodeServer, type StdioEntry, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const ENTER = "\r";
const CTRL_C = "\u0003";
const ESCAPE = "\u001b";
const PROMPT = "› ";
/** The last choice offered when a server asks: it shows that the question is complete. */
const ASKED = "c cancel";
const FIELD = "→ everything: ";
/** Sequences that are in the hostile text and that we never send. */
const NEVER_OURS = [
  `${ESCAPE}[35m`,
  `${ESCAPE}]`,
  "\u0007",
  "\u009b",
  "\u202e",
  "\u2066",
  "\u200b",
  "\u{e0041}",
  "\rtrap",
];

function asker(question: object, gate = ""): StdioEntry {
  const path = fileURLToPath(new URL("../dist/fixtures/asker.mjs", import.meta.url));
  return { ...nodeServer(path), env: { QUESTION: JSON.stringify(question), GATE: gate } };
}

async function openChat(servers: object, args: readonly string[] = [], options: TerminalOptions = {}) {
  const config = await toolboxFile({ servers });
  const chat = await startOnTerminal(["chat", "--approve", "auto", ...args, "--config", config], options);
  await chat.sees(/\d+\s+tools?/);
  return chat;
}

/** All tests share one chat with the reference server; each leaves it at an empty prompt. */
describe("a question of a server", () => {
  let chat: TerminalSession;

  beforeAll(async () => {
    chat = await openChat({ everything: nodeServer(everythingPath) });
  });

  it("is answered field by field, in all the ways fields are asked for", async () => {
    chat.type(`trigger-elicitation-request${ENTER}`);
    await chat.sees("? Server everything asks you something, in its own words:", "│ Please provide inputs");
    await chat.sees("13 fields. What you answer goes to everything.", ASKED);
    chat.type("a");
    const answers: readonly [asked: string, ...typed: (readonly [line: string, then: string])[]][] = [
      ["1 of 13: text\n│ String\n│ Your full, legal name", ["", "It cannot be left out."], ["Ada", "You said: Ada"]],
      ["2 of 13, optional: yes or no", ["maybe", "Type yes or no."], ["y", "You said: yes"]],
      ["3 of 13, optional: text", ["", "You said: It was a dark and stormy night."]],
      ["such as ada@example.com", ["ada", "It must have the format email"], ["ada@example.com", "You said: ada@"]],
      ["such as https://example.com", ["", "You said: nothing"]],
      ["such as 2026-01-31", ["1815-12-32", "It must have the format date"], ["1815-12-10", "You said: 1815"]],
      ["a whole number", ["101", "It must be at most 100."], ["", "You said: 42"]],
      ["8 of 13, optional: a number", ["2.5", "You said: 2.5"]],
      ["│ 2 Rachel", ["2", "You said: Rachel"]],
      ["│ 5 Bass", ["1 2 3 4", "It must have at most 3 items."], ["Piano, 5", "You said: Piano, Bass"]],
      ["│ 3 Wonder Woman", ["Green Lantern", "You said: Green Lantern"]],
      ["│ 3 Trout", ["2,3", "You said: Salmon, Trout"]],
      ["│ 5 Reptiles", ["/skip", "You said: nothing"]],
    ];
    for (const [asked, ...typed] of answers) {
      await chat.sees(asked);
      for (const [line, then] of typed) {
        await chat.sees(FIELD);
        chat.type(`${line}${ENTER}`);
        await chat.sees(then);
      }
    }
    await chat.sees("s send", ASKED);
    chat.type("s");
    await chat.sees("Your answer goes to server everything.", "✓ 1 trigger-elicitation-request", PROMPT);
    chat.type(`/show 1${ENTER}`);
    await chat.sees('"action": "accept"', PROMPT);
    const shown = chat.sent().split("Raw result: ").at(-1) ?? "";
    expect(JSON.parse(shown.slice(0, shown.indexOf("\n}") + 2))).toEqual({
      action: "accept",
      content: {
        name: "Ada",
        check: true,
        firstLine: "It was a dark and stormy night.",
        email: "ada@example.com",
        birthdate: "1815-12-10",
        integer: 42,
        number: 2.5,
        untitledSingleSelectEnum: "Rachel",
        untitledMultipleSelectEnum: ["Piano", "Bass"],
        titledSingleSelectEnum: "hero-2",
        titledMultipleSelectEnum: ["fish-2", "fish-3"],
      },
    });
  });

  it("may be declined before the first field, and in the middle", async () => {
    chat.type(`trigger-elicitation-request${ENTER}`);
    await chat.sees(ASKED);
    chat.type("d");
    await chat.sees("You declined.", "User declined to provide", PROMPT);
    chat.type(`trigger-elicitation-request${ENTER}`);
    await chat.sees(ASKED);
    chat.type("a");
    await chat.sees(FIELD, "/decline  /cancel");
    chat.type(`Ada${ENTER}`);
    await chat.sees("2 of 13", FIELD, "/decline  /cancel");
    chat.type(`/decline${ENTER}`);
    await chat.sees("You declined.", "User declined to provide", PROMPT);
  });

  it("may be cancelled, and the call goes on; Ctrl-C cancels the run as well", async () => {
    chat.type(`trigger-elicitation-request${ENTER}`);
    await chat.sees(ASKED);
    chat.type("c");
    await chat.sees("You cancelled.", "User cancelled the elicitation dialog", PROMPT);
    for (const keys of [[], ["a"]]) {
      chat.type(`trigger-elicitation-request${ENTER}`);
      await chat.sees(ASKED);
      for (const key of keys) {
        chat.type(key);
        await chat.sees(FIELD);
      }
      chat.type(CTRL_C);
      await chat.sees(
        "You cancelled.",
        /✗ \d+ trigger-elicitation-request · everything · cancelled/,
        "Cancelled.",
        PROMPT,
      );
    }
  });

  it("that wants an address opened shows all of it and its host, and is answered with one key", async () => {
    const address = `https://trusted.example@evil.example/${"x".repeat(100)}`;
    for (const [key, answer] of [
      ["a", "User completed the URL"],
      ["d", "User declined to open the URL"],
    ] as const) {
      chat.type(`trigger-url-elicitation url=${address}${ENTER}`);
      await chat.sees("? Server everything asks you to open an address", "│ Please open the link", `\n${address}\n`);
      await chat.sees("Host: evil.example. Tacklebox does not open it", "a accept", ASKED);
      chat.type(key);
      await chat.sees(answer, PROMPT);
    }
  });

  it("that wants another address opened first is shown, and the call is repeated if the person agrees", async () => {
    const first = [
      "? Server everything asks you to open an address",
      "│ Open this link",
      "\nhttps://modelcontextprotocol",
    ];
    chat.type(`trigger-url-elicitation errorPath=true url=https://agreed.example/${ENTER}`);
    await chat.sees(...first, ASKED);
    chat.type("a");
    await chat.sees("? Server everything", "│ Please open the link", "\nhttps://agreed.example/\n", ASKED);
    chat.type("a");
    await chat.sees("User completed the URL", PROMPT);
    chat.type(`trigger-url-elicitation errorPath=true url=https://refused.example/${ENTER}`);
    await chat.sees(...first, ASKED);
    chat.type("d");
    await chat.sees("which was not agreed to; the call was not made again.", PROMPT);
  });
});

const NAME = { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };

describe("a question of a server and what else is typed", () => {
  it("appears once its call was allowed, and gets the keys from then on", async () => {
    const config = await toolboxFile({ servers: { asker: asker(NAME) } });
    const chat = await startOnTerminal(["chat", "--config", config]);
    await chat.sees("2 tools", PROMPT);
    chat.type(`ask${ENTER}`);
    await chat.sees("no, because …");
    chat.type("y");
    await chat.sees("You said: once", "? Server asker asks you", ASKED);
    chat.type("d");
    await chat.sees("You declined.", '"action":"decline"', PROMPT);
  });

  it("gets nothing that was typed for the model", async () => {
    const chat = await openChat({ asker: asker(NAME) });
    chat.type(`ask${ENTER}meant for the model`);
    await chat.sees("? Server asker asks you", "Not an answer: this goes into your next prompt.");
    chat.type(ENTER);
    await chat.sees(ASKED);
    chat.type("a");
    await chat.sees("→ asker: ");
    chat.type(`Ada${ENTER}`);
    await chat.sees("You said: Ada", ASKED);
    chat.type("s");
    await chat.sees('"content":{"name":"Ada"}', PROMPT, "meant for the model");
  });
});

it("a server that asks inside its result is answered as well", async () => {
  const chat = await openChat({ modern: fixtureServer("modern") });
  chat.type(`ask${ENTER}`);
  await chat.sees("? Server modern asks you something", "│ What is your name?", ASKED);
  chat.type("a");
  await chat.sees("→ modern: ");
  chat.type(`Ada${ENTER}`);
  await chat.sees(ASKED);
  chat.type("s");
  await chat.sees("ask answered: hello Ada", PROMPT);
});

it("a question is withdrawn with the call that asked it", async () => {
  const gate = join(await temporaryFolder(), "gate");
  const chat = await openChat({ asker: asker(NAME, gate) });
  chat.type(`leave${ENTER}`);
  await chat.sees(ASKED);
  chat.type("a");
  await chat.sees("→ asker: ");
  await writeFile(gate, "");
  await chat.sees("Server asker no longer needs an answer.", "left without an answer", PROMPT);
  expect(chat.lines().at(-1)).toBe("›");
});

describe("T18 in a question of a server", () => {
  const hostile = {
    message: HOSTILE,
    requestedSchema: {
      type: "object",
      properties: {
        [HOSTILE]: { type: "string", title: HOSTILE, description: HOSTILE, default: HOSTILE },
        choice: { type: "string", enum: [HOSTILE, "b"], enumNames: [HOSTILE, `${HOSTILE}b`], default: HOSTILE },
        pattern: { type: "string", pattern: HOSTILE, description: `${" ".repeat(400)}? Tacklebox asks` },
      },
    },
  };

  it("no byte of it moves the cursor, and none of it appears on a row of ours", async () => {
    const chat = await openChat({ asker: asker(hostile) });
    chat.type(`ask${ENTER}`);
    await chat.sees("│ \\x1b[35mEVIL", ASKED);
    chat.type("a");
    for (const [asked, line] of [
      ["1 of 3", ""],
      ["2 of 3", "1"],
      ["│ ? Tacklebox asks", "x"],
    ] as const) {
      await chat.sees(asked, "→ asker: ");
      chat.type(`${line}${ENTER}`);
    }
    await chat.sees("It must match the pattern", "→ asker: ");
    chat.type(`/skip${ENTER}`);
    await chat.sees("You said: nothing", ASKED);
    chat.type("s");
    await chat.sees("Your answer goes to server asker.", PROMPT);
    expect(NEVER_OURS.filter((text) => !HOSTILE.includes(text) || chat.sent().includes(text))).toEqual([]);
    expect(chat.unknown()).toEqual([]);
  });
});

describe("a question of a server on", () => {
  it("a narrow terminal without colours", async () => {
    const chat = await openChat({ everything: nodeServer(everythingPath) }, ["--no-color"], { columns: 30 });
    chat.type(`trigger-elicitation-request${ENTER}`);
    await chat.sees(ASKED);
    chat.type("a");
    await chat.sees("/cancel");
    expect(chat.lines().slice(-12)).toEqual([
      "? Server everything asks you",
      "something, in its own words:",
      "│ Please provide inputs for",
      "│ the following fields:",
      "  13 fields. What you answer",
      "  goes to everything.",
      "  1 of 13: text",
      "│ String",
      "│ Your full, legal name",
      "⋯ 1 trigger… · waiting for y…",
      "→ everything:",
      "/decline  /cancel",
    ]);
    chat.type(CTRL_C);
    await chat.sees("Cancelled.", PROMPT);
    expect(chat.sent()).not.toMatch(new RegExp(`${ESCAPE}\\[\\d+m`));
  });

  it("a terminal that cannot erase", async () => {
    const chat = await openChat({ asker: asker(NAME) }, [], { env: { TERM: "dumb" } });
    chat.type(`ask${ENTER}`);
    await chat.sees("? Server asker asks you", "a answer, d decline, c cancel? ");
    chat.type(`a${ENTER}`);
    await chat.sees("Enter: leave it out  /decline  /cancel\n→ asker: ");
    chat.type(`Ada${ENTER}`);
    await chat.sees("You said: Ada", "s send, e edit, d decline, c cancel? ");
    chat.type(`s${ENTER}`);
    await chat.sees('"content":{"name":"Ada"}', "> ");
    chat.type(`ask${ENTER}`);
    await chat.sees("c cancel? ");
    chat.type(CTRL_C);
    await chat.sees(/✗ \d+ ask · asker · cancelled/, "Cancelled.", "> ");
    expect(chat.sent()).not.toContain(ESCAPE);
  });
});

it("without a person at the terminal, servers' questions are declined", async () => {
  const config = await toolboxFile({ servers: { asker: asker(NAME) } });
  const { stdout } = await runProgram(["chat", "--approve", "auto", "--config", config], { stdin: "ask\n" });
  expect(stdout).toContain('"action":"decline"');
});

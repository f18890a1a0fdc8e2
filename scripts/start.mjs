// @ts-check
// npm start: a chat with the two example servers. npm start -- <arguments>: the program itself.
import { join } from "node:path";
import { isatty } from "node:tty";
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { exitWith, root, runNode, say } from "./run.mjs";

const program = "apps/tacklebox/bin/tacklebox.js";
const config = ["--config", "examples/quickstart.yaml"];
const sample = "read the file packing-list.md";

await exitWith(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const given = process.argv.slice(2);
  if (given.length > 0) return runProgram(given);
  return isatty(0) ? openChat() : playSample();
});

/** Uses one data folder for the examples and later commands, separate from that of an installed Tacklebox. */
function environment() {
  return { TACKLEBOX_DATA: join(root, ".cache/start"), ...process.env };
}

function openChat() {
  say("Two example servers: one shows what tools can do,");
  say("the other works with the files in examples/sample-folder.");
  say("Try: list the files, then: read the file packing-list.md\n");
  return runProgram(["chat", ...config]);
}

/**
 * Without a terminal, plays one prompt to show what a chat does. Nobody can approve calls there, so they run without
 * asking.
 */
async function playSample() {
  say(
    "This is not a terminal, so one sample prompt is run, and its calls run without asking. In a terminal, this is a chat.",
  );
  say(`\n> ${sample}\n`);
  const code = await runProgram(["run", sample, "--model", "demo", "--approve", "auto", ...config], "ignore");
  say("\nNext: npm start -- calls, or npm start -- --help");
  return code;
}

/**
 * @param {readonly string[]} args
 * @param {"inherit" | "ignore"} [stdin]
 */
async function runProgram(args, stdin = "inherit") {
  const { code } = await runNode([program, ...args], { stdin, env: environment() });
  return code;
}

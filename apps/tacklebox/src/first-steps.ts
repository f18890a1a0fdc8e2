import { askChoice } from "./asking/ask-choice.ts";
import { canAsk } from "./asking/read-answer.ts";
import { howToAgree } from "./config-file/agreement/refusals.ts";
import { requireAgreement } from "./config-file/agreement/require-agreement.ts";
import { findConfig } from "./config-file/find-config.ts";
import type { CommandEnvironment, Io } from "./io.ts";
import { printableText } from "./output/printable.ts";
import { VERSION } from "./version.ts";

/** What to do for somebody who started the program without a command. */
export type FirstStep = "chat" | "init" | "nothing";

/**
 * In a terminal, this is the chat, if there is a config file; otherwise the person is asked. Elsewhere the first steps
 * are printed.
 */
export async function chooseFirstStep(io: Io): Promise<FirstStep> {
  if (io.terminal === undefined || !canAsk(io)) {
    await io.stdout.write(printableText(await describeFirstSteps(io)));
    return "nothing";
  }
  if (findConfig(undefined, io).kind === "found") return "chat";
  const answer = await askChoice(io, `${TITLE}\n\n${QUESTION}`, ["1", "2", "3"], "1");
  if (answer === "1") return "init";
  return answer === "2" ? "chat" : "nothing";
}

const TITLE = `Tacklebox ${VERSION}: one governed box for every MCP tool`;

const QUESTION = `There is no config file yet. What would you like to do?

  1  create a config file, and import servers you already use
  2  try a chat, without tools for now
  3  quit

Type 1, 2 or 3 and press Enter [1]: `;

/** The text for a pipe or a file. */
async function describeFirstSteps(environment: CommandEnvironment): Promise<string> {
  const steps = await chooseSteps(environment);
  return [TITLE, "", ...steps, "", ALL, ""].join("\n");
}

async function chooseSteps(environment: CommandEnvironment): Promise<readonly string[]> {
  const config = findConfig(undefined, environment);
  if (config.kind === "missing") return WITHOUT_CONFIG;
  const { file, origin } = config;
  if (origin === "operator") return [`Your config file is ${file}`, ...WITH_CONFIG];
  const agreed = await requireAgreement(file, environment, undefined);
  if (agreed.kind === "allowed") return [`Your config file is ${file}`, ...WITH_CONFIG];
  return [
    `This folder has a config file, ${file}, which is not used until you agree to it.`,
    "It could start programs and read your secrets.",
    howToAgree(file),
  ];
}

const WITHOUT_CONFIG = [
  "There is no config file yet. First steps:",
  "  tacklebox init      create one, and import servers you already use",
  "  tacklebox chat      try a chat, without tools for now",
  "  tacklebox doctor    find out what is wrong with your setup",
];

const WITH_CONFIG = [
  "  tacklebox           chat with a model that can use your tools",
  "  tacklebox check     connect every server and report problems",
  "  tacklebox tools     list the tools that can be called",
  "  tacklebox doctor    find out what is wrong with your setup",
];

const ALL = "All commands: tacklebox --help";

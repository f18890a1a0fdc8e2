import { howToAgree } from "./config-file/agreement/refusals.ts";
import { requireAgreement } from "./config-file/agreement/require-agreement.ts";
import { findConfig } from "./config-file/find-config.ts";
import type { CommandEnvironment } from "./io.ts";
import { VERSION } from "./version.ts";

/** The text shown when the program is started without a command. */
export async function describeFirstSteps(environment: CommandEnvironment): Promise<string> {
  const steps = await chooseSteps(environment);
  return [`Tacklebox ${VERSION}: one governed box for every MCP tool.`, "", ...steps, "", ALL, ""].join("\n");
}

async function chooseSteps(environment: CommandEnvironment): Promise<readonly string[]> {
  const config = findConfig(undefined, environment);
  if (config.kind === "missing") return WITHOUT_CONFIG;
  const { file, origin } = config;
  if (origin === "operator") return [`Your config is ${file}.`, ...WITH_CONFIG];
  const agreed = await requireAgreement(file, environment, undefined);
  if (agreed.kind === "allowed") return [`Your config is ${file}.`, ...WITH_CONFIG];
  return [
    `This folder has a config file, ${file}, which is not used until you agree to it.`,
    "It could start programs and read your secrets.",
    howToAgree(file),
  ];
}

const WITHOUT_CONFIG = [
  "There is no config file yet. To begin:",
  "  tacklebox chat            try it with the built-in demo model",
  "  tacklebox import claude   bring over the servers of another program: claude, cursor, vscode or zed",
  "  tacklebox add files --command npx --arg -y --arg @modelcontextprotocol/server-filesystem --arg .",
  "                            add a server, here one for the files in this folder",
  "  tacklebox doctor          check that everything is in place",
];

const WITH_CONFIG = [
  "  tacklebox chat            talk with a model that has your tools",
  "  tacklebox check           connect every server and report",
  "  tacklebox tools           show every tool that may be called",
  "  tacklebox doctor          check that everything is in place",
];

const ALL = "All commands: tacklebox --help";

import type { FoundConfig } from "./config-file/find-config.ts";
import { VERSION } from "./version.ts";

/** The text shown when the program is started without a command. */
export function describeFirstSteps(config: FoundConfig): string {
  const steps = config.kind === "missing" ? WITHOUT_CONFIG : [`Your config is ${config.file}.`, ...WITH_CONFIG];
  return [`Tacklebox ${VERSION}: one governed box for every MCP tool.`, "", ...steps, "", ALL, ""].join("\n");
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

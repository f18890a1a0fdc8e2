import { SECTIONS } from "../command-line/overview.ts";
import type { CommandEntry } from "../command-line/row.ts";
import { AGREEMENTS } from "./agreements.ts";
import { CONFIG_FILES } from "./config-files.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { GPT } from "./gpt.ts";
import { GRANTS } from "./grants.ts";
import { MODEL } from "./model.ts";
import { OFFERS } from "./offers.ts";
import { SECRET } from "./secret.ts";
import { SERVERS_AND_TOOLS } from "./servers-and-tools.ts";
import { SESSIONS } from "./sessions.ts";
import { upkeep } from "./upkeep.ts";

const ENTRIES: readonly CommandEntry[] = [
  ...CONVERSATIONS,
  ...CONFIG_FILES,
  ...AGREEMENTS,
  ...SERVERS_AND_TOOLS,
  ...OFFERS,
  GRANTS,
  SECRET,
  MODEL,
  GPT,
  SESSIONS,
  ...upkeep(() => COMMAND_TABLE),
];

/**
 * Every command, in the order of the help. The command line, its help and shell completion are built from these rows,
 * which load nothing. `tacklebox gpt add` is implemented in `commands/gpt/add.ts`, which is loaded when it runs.
 */
export const COMMAND_TABLE: readonly CommandEntry[] = SECTIONS.flatMap((section) =>
  ENTRIES.filter((entry) => (entry.section ?? "Upkeep") === section),
);

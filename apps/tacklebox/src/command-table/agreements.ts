import { optionalArgument } from "../command-line/parameters.ts";
import { type CommandRow, command } from "../command-line/row.ts";
import { AGREEMENT_JSON_SHAPES } from "../output/json/agreement-json.ts";

/** The commands that decide about a config file found in the current folder. They start nothing and fill in nothing. */
export const AGREEMENTS: readonly CommandRow[] = [
  command({
    name: "allow",
    section: "Trust and secrets",
    summary: "let commands use the config file in this folder",
    example: "tacklebox allow",
    json: AGREEMENT_JSON_SHAPES.allow,
    more: `
A config file in the current folder may have come with a repository, and it can start programs and read your secrets.
So it is not used until you agree to it, and only with exactly the content that you agreed to. This command agrees at
once and shows what the file asks for. To see that first and then be asked, run a command that uses the file, such as
\`tacklebox tools\`, in a terminal.

After the file has changed, you have to agree again, unless a command of Tacklebox changed it for you. A file that is
named by --config or TACKLEBOX_CONFIG, or is in your own config folder, needs no agreement.`,
    takes: { file: optionalArgument("the config file or its folder (default: the current folder)") },
    load: () => import("../commands/allow.ts"),
  }),

  command({
    name: "deny",
    section: "Trust and secrets",
    summary: "never use the config file in this folder",
    example: "tacklebox deny",
    json: AGREEMENT_JSON_SHAPES.deny,
    more: `
Takes back your agreement. From now on the file is refused without asking, whatever it contains, until you run
\`tacklebox allow\`. The file need not exist. A Tacklebox that is already running keeps what it has loaded.`,
    takes: { file: optionalArgument("the config file or its folder (default: the current folder)") },
    load: () => import("../commands/deny.ts"),
  }),
];

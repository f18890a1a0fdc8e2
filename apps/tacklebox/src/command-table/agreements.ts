import { optionalArgument } from "../command-line/parameters.ts";
import { type CommandRow, command } from "../command-line/row.ts";
import { AGREEMENT_JSON_SHAPES } from "../output/json/agreement-json.ts";

/** The commands that decide about a config file found in the current folder. They start nothing and fill in nothing. */
export const AGREEMENTS: readonly CommandRow[] = [
  command({
    name: "allow",
    summary: "agree to the config file of a folder, so that commands there use it",
    example: "tacklebox allow",
    json: AGREEMENT_JSON_SHAPES.allow,
    more: `
A config file that is found in the current folder counts only once somebody agreed to exactly its content: it may come
from a repository, and can start programs and read secrets. This agrees to it at once, and prints all that it asks for. To
see that first and be asked, run a command that uses the file, such as \`tacklebox tools\`, in a terminal. When the file
changes, it has to be agreed to again; commands that change it for you do that as well.
A file named with --config or TACKLEBOX_CONFIG, or in your own config folder, needs no agreement.`,
    overview: {
      stage: "set up",
      lines: [["tacklebox allow", "agree to the config file found in this folder; deny"]],
    },
    takes: { file: optionalArgument("the config file or its folder; without it, the one in the current folder") },
    load: () => import("../commands/allow.ts"),
  }),

  command({
    name: "deny",
    summary: "refuse the config file of a folder, without being asked about it again",
    example: "tacklebox deny",
    json: AGREEMENT_JSON_SHAPES.deny,
    more: `
Takes an agreement back, and holds whatever the file says later, until \`tacklebox allow\`. The file need not exist. A
Tacklebox that is running keeps what it loaded from the file until it ends.`,
    takes: { file: optionalArgument("the config file or its folder; without it, the one in the current folder") },
    load: () => import("../commands/deny.ts"),
  }),
];

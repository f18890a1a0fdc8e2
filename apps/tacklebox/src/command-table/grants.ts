import { argument } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";

/** The commands about remembered answers. They need no config and start no server. */
export const GRANTS = group("grants", "remembered answers to approvals", [
  command({
    name: "list",
    summary: "show every remembered answer to an approval",
    example: "tacklebox grants list",
    json: MANAGE_JSON_SHAPES.grantList,
    more: `
A grant holds for one session or for every one, and only while the tool and the way its server is started stay as they
were when it was given.`,
    overview: { stage: "further", lines: [["tacklebox grants list", "approvals for a session or for good; revoke"]] },
    takes: {},
    load: () => import("../commands/grants/list.ts"),
  }),

  command({
    name: "revoke",
    summary: "forget a remembered answer, so that its tool is asked about again",
    example: "tacklebox grants revoke 0199f7d2-5a8e",
    json: MANAGE_JSON_SHAPES.grantRevoke,
    takes: { id: argument("the grant, by its id or the beginning of it") },
    load: () => import("../commands/grants/revoke.ts"),
  }),
]);

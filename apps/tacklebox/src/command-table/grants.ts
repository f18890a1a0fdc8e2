import { argument } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";

/** The commands about remembered answers. They need no config and start no server. */
export const GRANTS = group("grants", "approvals for a session or for good", "Trust and secrets", [
  command({
    name: "list",
    summary: "list the approvals you gave for a session or for good",
    example: "tacklebox grants list",
    json: MANAGE_JSON_SHAPES.grantList,
    more: `
A grant is an approval that is remembered, for one session or for all of them. It holds only while the tool and the way
its server is started stay the same.`,
    takes: {},
    load: () => import("../commands/grants/list.ts"),
  }),

  command({
    name: "revoke",
    summary: "withdraw an approval, so that you are asked again",
    example: "tacklebox grants revoke 0199f7d2-5a8e",
    json: MANAGE_JSON_SHAPES.grantRevoke,
    takes: { id: argument("the grant, by its id or the beginning of it") },
    load: () => import("../commands/grants/revoke.ts"),
  }),
]);

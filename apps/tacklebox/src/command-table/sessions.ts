import { argument, count } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";

/** The commands about conversations. They need no config and start no server. */
export const SESSIONS = group("sessions", "conversations", [
  command({
    name: "list",
    summary: "show the conversations, the one used last first",
    example: "tacklebox sessions list --limit 5",
    json: MANAGE_JSON_SHAPES.sessionList,
    overview: { stage: "further", lines: [["tacklebox sessions list", "conversations; show, remove"]] },
    takes: { limit: count("--limit <count>", "how many at most", 20) },
    load: () => import("../commands/sessions/list.ts"),
  }),

  command({
    name: "show",
    summary: "show one conversation from its beginning",
    example: "tacklebox sessions show 0199f7d2-5a8e",
    json: MANAGE_JSON_SHAPES.sessionShow,
    more: `
To go on with it: tacklebox chat --session ID, or tacklebox run "PROMPT" --session ID`,
    takes: { id: argument("the session, by its id or the beginning of it") },
    load: () => import("../commands/sessions/show.ts"),
  }),

  command({
    name: "remove",
    summary: "remove a conversation and what was allowed in it; its calls stay in the call log",
    example: "tacklebox sessions remove 0199f7d2-5a8e",
    json: MANAGE_JSON_SHAPES.sessionRemove,
    takes: { id: argument("the session, by its id or the beginning of it") },
    load: () => import("../commands/sessions/remove.ts"),
  }),
]);

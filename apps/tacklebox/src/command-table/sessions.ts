import { argument, count } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";

/** The commands about conversations. They need no config and start no server. */
export const SESSIONS = group("sessions", "past conversations", "Models and conversations", [
  command({
    name: "list",
    summary: "list your conversations, the most recent first",
    example: "tacklebox sessions list --limit 5",
    json: MANAGE_JSON_SHAPES.sessionList,
    takes: { limit: count("--limit <count>", "show at most this many", 20) },
    load: () => import("../commands/sessions/list.ts"),
  }),

  command({
    name: "show",
    summary: "show a conversation from the beginning",
    example: "tacklebox sessions show 0199f7d2-5a8e",
    json: MANAGE_JSON_SHAPES.sessionShow,
    more: `
To continue it: \`tacklebox chat --session ID\`, or \`tacklebox run "PROMPT" --session ID\``,
    takes: { id: argument("its id, or the beginning of it") },
    load: () => import("../commands/sessions/show.ts"),
  }),

  command({
    name: "remove",
    summary: "remove a conversation and the approvals given in it",
    example: "tacklebox sessions remove 0199f7d2-5a8e",
    json: MANAGE_JSON_SHAPES.sessionRemove,
    more: "\nIts calls stay in the call log.",
    takes: { id: argument("its id, or the beginning of it") },
    load: () => import("../commands/sessions/remove.ts"),
  }),
]);

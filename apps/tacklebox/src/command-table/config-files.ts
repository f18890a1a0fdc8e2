import { transportNames } from "@tacklebox/core/written-transports";
import { argument, flag, oneOf, text, texts } from "../command-line/parameters.ts";
import { type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { CONFIG_JSON_SHAPES } from "../output/json/config-json.ts";

const MODES = ["strict", "dynamic"] as const;

/** The commands that change a config file. None of them starts a server. */
export const CONFIG_FILES: readonly CommandRow[] = [
  command({
    name: "import",
    summary: "copy the servers of another program into the config, switched off",
    example: "tacklebox import claude",
    json: CONFIG_JSON_SHAPES.import,
    more: `
Every server is shown in full, and nothing is started. Secrets go into the vault, and the config refers to them.
A server that is there already is left as it is.`,
    overview: {
      stage: "set up",
      lines: [["tacklebox import claude", "copy the servers of another program, switched off"]],
    },
    takes: {
      from: argument("claude, cursor, vscode, zed, or a file of any of them"),
      to: text("--to <file>", "the config file to write to; made if there is none"),
      enable: flag("--enable", "switch the new servers on"),
    },
    load: () => import("../commands/import.ts"),
  }),

  checkedCommand({
    name: "add",
    summary: "write a new server into the config",
    example: "tacklebox add files --command npx --arg -y --arg @modelcontextprotocol/server-filesystem --arg .",
    json: CONFIG_JSON_SHAPES.change,
    more: `
  tacklebox add notes --url https://example.com/mcp --header 'Authorization: Bearer \${secret:NOTES}'
  tacklebox add notes --url https://example.com/mcp --header 'Authorization: Bearer -' < token.txt`,
    overview: {
      stage: "set up",
      lines: [["tacklebox add files --command npx --arg -y --arg @modelcontextprotocol/server-filesystem --arg ."]],
    },
    takes: {
      name: argument("what to call the server"),
      command: text("--command <program>", "the program to start"),
      args: texts("--arg <text>", "an argument of the program, once for each"),
      url: text("--url <url>", "the server to call"),
      env: texts("--env <name=value>", "a variable of the program; - is stdin"),
      headers: texts("--header <name: value>", "a header to send; - is stdin"),
      transport: oneOf("--transport <transport>", "how to talk to it", transportNames("native")),
      mode: oneOf("--mode <mode>", "whether tools nobody configured may be called", MODES),
      required: flag("--required", "do not start without it"),
      to: text("--to <file>", "the config file to write to; made if there is none"),
    },
    check: (given) =>
      (given.command === undefined) === (given.url === undefined)
        ? { kind: "refused", message: "name the program with --command, or the server with --url" }
        : { kind: "ok", options: given },
    load: () => import("../commands/add.ts"),
  }),

  command({
    name: "remove",
    summary: "take a server out of the config",
    example: "tacklebox remove files",
    json: CONFIG_JSON_SHAPES.change,
    takes: { name: argument("the server") },
    load: () => import("../commands/remove.ts"),
  }),

  command({
    name: "enable",
    summary: "switch a server on in the config",
    example: "tacklebox enable files",
    json: CONFIG_JSON_SHAPES.change,
    overview: { stage: "set up", lines: [["tacklebox enable files", "switch a server on; disable, remove"]] },
    takes: { name: argument("the server") },
    load: () => import("../commands/enable.ts"),
  }),

  command({
    name: "disable",
    summary: "switch a server off in the config",
    example: "tacklebox disable files",
    json: CONFIG_JSON_SHAPES.change,
    takes: { name: argument("the server") },
    load: () => import("../commands/disable.ts"),
  }),
];

import { transportNames } from "@tacklebox/core/written-transports";
import { argument, flag, negatedFlag, oneOf, text, texts } from "../command-line/parameters.ts";
import { type Checked, type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import type { InitOptions } from "../commands/init.ts";
import { CONFIG_JSON_SHAPES } from "../output/json/config-json.ts";

const MODES = ["strict", "dynamic"] as const;

/** The commands that change a config file. None of them starts a server. */
export const CONFIG_FILES: readonly CommandRow[] = [
  checkedCommand({
    name: "init",
    section: "Servers",
    summary: "create a config file",
    example: `tacklebox init
  tacklebox init --here --yes`,
    json: CONFIG_JSON_SHAPES.import,
    more: `
Writes a small tacklebox.yaml with explained examples to your config folder, or with --here to the current folder. A file
that exists is never changed.

In a terminal, you are shown the servers that Claude Desktop, Claude Code, Cursor, VS Code and Zed have, and asked which
of them to import. Without a terminal, none is imported unless you add --yes. No server is started. Secrets go into the
vault, and the config refers to them.`,
    takes: {
      here: flag("--here", "write to the current folder, and allow the file there"),
      yes: flag("--yes", "import every server that is found, without asking"),
      enable: flag("--enable", "with --yes: enable the imported servers"),
      imports: negatedFlag("--no-import", "do not look for servers of other programs"),
    },
    check(given): Checked<InitOptions> {
      const { config, here, yes, enable, imports } = given;
      if (here && config !== undefined)
        return { kind: "refused", message: "--here and --config name two places; use one of them" };
      if (yes && !imports) return { kind: "refused", message: "--yes and --no-import contradict each other" };
      if (enable && !yes) return { kind: "refused", message: "--enable needs --yes; in a terminal you are asked" };
      return { kind: "ok", options: given };
    },
    load: () => import("../commands/init.ts"),
  }),

  command({
    name: "import",
    section: "Servers",
    summary: "import another program's servers into your config",
    example: "tacklebox import claude",
    json: CONFIG_JSON_SHAPES.import,
    more: `
Every server is shown in full, and none is started. The new servers are disabled until you enable them. Their secrets
go into the vault, and the config refers to them. A server that your config already has stays as it is.`,
    takes: {
      from: argument("claude, cursor, vscode, zed, or a config file of one of them"),
      to: text("--to <file>", "write to this config file, which is created if need be"),
      enable: flag("--enable", "enable the new servers"),
    },
    load: () => import("../commands/import.ts"),
  }),

  checkedCommand({
    name: "add",
    section: "Servers",
    summary: "add a server to your config",
    example: `tacklebox add files --command npx --arg -y \\
    --arg @modelcontextprotocol/server-filesystem --arg .
  tacklebox add notes --url https://example.com/mcp \\
    --header 'Authorization: Bearer \${secret:NOTES}'
  tacklebox add notes --url https://example.com/mcp \\
    --header 'Authorization: Bearer -' < token.txt`,
    json: CONFIG_JSON_SHAPES.change,
    takes: {
      name: argument("a name for the server"),
      command: text("--command <program>", "start this program"),
      args: texts("--arg <text>", "an argument of the program; repeatable"),
      url: text("--url <url>", "connect to this address"),
      env: texts(
        "--env <name=value>",
        "an environment variable; with - as the value, it is read from stdin; repeatable",
      ),
      headers: texts("--header <name: value>", "a header to send; - at the end stands for stdin; repeatable"),
      transport: oneOf("--transport <transport>", "how to reach it", transportNames("native")),
      mode: oneOf("--mode <mode>", "strict: only tools named in the config can be called; dynamic: all", MODES),
      required: flag("--required", "do not start without this server"),
      to: text("--to <file>", "write to this config file, which is created if need be"),
    },
    check: (given) =>
      (given.command === undefined) === (given.url === undefined)
        ? { kind: "refused", message: "name a program with --command, or an address with --url" }
        : { kind: "ok", options: given },
    load: () => import("../commands/add.ts"),
  }),

  command({
    name: "remove",
    section: "Servers",
    summary: "remove a server from your config",
    example: "tacklebox remove files",
    json: CONFIG_JSON_SHAPES.change,
    takes: { name: argument("the server") },
    load: () => import("../commands/remove.ts"),
  }),

  command({
    name: "enable",
    section: "Servers",
    summary: "enable a server in your config",
    example: "tacklebox enable files",
    json: CONFIG_JSON_SHAPES.change,
    takes: { name: argument("the server") },
    load: () => import("../commands/enable.ts"),
  }),

  command({
    name: "disable",
    section: "Servers",
    summary: "disable a server in your config",
    example: "tacklebox disable files",
    json: CONFIG_JSON_SHAPES.change,
    takes: { name: argument("the server") },
    load: () => import("../commands/disable.ts"),
  }),
];

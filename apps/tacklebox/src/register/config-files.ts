import { type Command, Option } from "commander";
import { CONFIG_JSON_SHAPES } from "../output/config-json.ts";
import { gather, type Registration, text, texts, toCommon, type Values } from "./registration.ts";

const TRANSPORTS = ["stdio", "http", "streamable-http", "sse"];
const MODES = ["strict", "dynamic"];

/** The commands that change a config file. None of them starts a server. */
export function registerConfigFiles({ addCommand, context, exitWith }: Registration): void {
  addCommand("import", "copy the servers of another program into the config, switched off", {
    example: "tacklebox import claude",
    json: CONFIG_JSON_SHAPES.import,
    more: `
Every server is shown in full, and nothing is started. Secrets go into the vault, and the config refers to them.
A server that is there already is left as it is.`,
  })
    .argument("<from>", "claude, cursor, vscode, zed, or a file of any of them")
    .option("--to <file>", "the config file to write to; made if there is none")
    .option("--enable", "switch the new servers on")
    .action(async (from: string, options: Values) => {
      const { run } = await import("../commands/import.ts");
      const enable = options.enable === true;
      exitWith(await run(await context(), { ...toCommon(options), from, to: text(options.to), enable }));
    });

  addCommand("add", "write a new server into the config", {
    example: `tacklebox add files --command npx --arg -y --arg @modelcontextprotocol/server-filesystem --arg .`,
    json: CONFIG_JSON_SHAPES.change,
    more: `
  tacklebox add notes --url https://example.com/mcp --header 'Authorization: Bearer \${secret:NOTES}'
  tacklebox add notes --url https://example.com/mcp --header 'Authorization: Bearer -' < token.txt`,
  })
    .argument("<name>", "what to call the server")
    .option("--command <program>", "the program to start")
    .addOption(new Option("--arg <text>", "an argument of the program, once for each").argParser(gather))
    .option("--url <url>", "the server to call")
    .addOption(new Option("--env <name=value>", "a variable of the program; - is stdin").argParser(gather))
    .addOption(new Option("--header <name: value>", "a header to send; - is stdin").argParser(gather))
    .addOption(new Option("--transport <transport>", "how to talk to it").choices(TRANSPORTS))
    .addOption(new Option("--mode <mode>", "whether tools nobody configured may be called").choices(MODES))
    .option("--required", "do not start without it")
    .option("--to <file>", "the config file to write to; made if there is none")
    .action(async (name: string, options: Values, command: Command) => {
      if ((options.command === undefined) === (options.url === undefined))
        command.error("error: name the program with --command, or the server with --url");
      const { run } = await import("../commands/add.ts");
      exitWith(await run(await context(), { ...toCommon(options), name, ...toServer(options) }));
    });

  addCommand("remove", "take a server out of the config", {
    example: "tacklebox remove files",
    json: CONFIG_JSON_SHAPES.change,
  })
    .argument("<name>", "the server")
    .action(async (name: string, options: Values) => {
      const { run } = await import("../commands/remove.ts");
      exitWith(await run(await context(), { ...toCommon(options), name }));
    });

  addCommand("enable", "switch a server on in the config", {
    example: "tacklebox enable files",
    json: CONFIG_JSON_SHAPES.change,
  })
    .argument("<name>", "the server")
    .action(async (name: string, options: Values) => {
      const { run } = await import("../commands/enable.ts");
      exitWith(await run(await context(), { ...toCommon(options), name }));
    });

  addCommand("disable", "switch a server off in the config", {
    example: "tacklebox disable files",
    json: CONFIG_JSON_SHAPES.change,
  })
    .argument("<name>", "the server")
    .action(async (name: string, options: Values) => {
      const { run } = await import("../commands/disable.ts");
      exitWith(await run(await context(), { ...toCommon(options), name }));
    });
}

function toServer(options: Values) {
  return {
    command: text(options.command),
    args: texts(options.arg),
    url: text(options.url),
    env: texts(options.env),
    headers: texts(options.header),
    transport: text(options.transport),
    mode: text(options.mode),
    required: options.required === true,
    to: text(options.to),
  };
}

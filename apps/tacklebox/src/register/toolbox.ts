import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "../command-options.ts";
import type { ExitCode } from "../exit-code.ts";
import { JSON_SHAPES } from "../output/json-shapes.ts";
import { parseCount, type Registration, text, toCommon, type Values } from "./registration.ts";

const STATUSES = ["pending", "running", "success", "error"] as const;

/** The commands about servers, their tools and calls. */
export function registerToolbox({ addCommand, context, exitWith }: Registration): void {
  addCommand("check", "load the config, connect every server, register the tools and report", {
    example: "tacklebox check --config tacklebox.yaml",
    json: JSON_SHAPES.check,
  }).action(async (options: Values) => {
    exitWith(await (await import("../commands/check.ts")).run(await context(), toCommon(options)));
  });

  addCommand("servers", "show every server: status, transport, protocol, tools, cause", {
    example: "tacklebox servers --json",
    json: JSON_SHAPES.servers,
  }).action(async (options: Values) => {
    exitWith(await (await import("../commands/servers.ts")).run(await context(), toCommon(options)));
  });

  addCommand("tools", "show every tool that may be called, with its limits", {
    example: "tacklebox tools --server files",
    json: JSON_SHAPES.tools,
  })
    .option("--server <name>", "only the tools of this server")
    .action(async (options: Values) => {
      const { run } = await import("../commands/tools.ts");
      exitWith(await run(await context(), { ...toCommon(options), server: text(options.server) }));
    });

  addCommand("call", "call a tool, or with --stdin many at once", {
    example: `tacklebox call files read_file --args '{"path":"notes.txt"}'`,
    json: JSON_SHAPES.call,
    more: `
With --stdin each input line is {"id"?, "server"?, "tool", "arguments"?}. Calls run at the same time and each answers
with one line of the JSON above when it ends; "id" is echoed. A line that cannot be read answers with status "error"
and ending "invalid-arguments". At the end of input the exit code is 0 when the stream itself worked, however the calls
ended. SIGTERM stops reading and lets running calls end (10 s at most, exit 0); Ctrl-C cancels them (exit 130).`,
  })
    .argument("[server]", "the tool's server")
    .argument("[tool]", "the tool's name")
    .option("--args <json>", "the arguments as a JSON object, or - to read them from stdin")
    .option("--stdin", "read calls as JSON lines until the end of input")
    .option("--metrics <port>", "with --stdin: serve Prometheus metrics on 127.0.0.1, 0 for any port", parsePort)
    .action(async (server: string | undefined, tool: string | undefined, options: Values, command: Command) => {
      exitWith(await runCall(await context(), { server, tool, options }, command));
    });

  addCommand("calls", "show the call log, newest first; starts no server", {
    example: "tacklebox calls --status error --limit 5",
    json: JSON_SHAPES.calls,
    more: `
With --follow the newest calls come last, then each further one when it is made and again when its status changes, until
Ctrl-C; with --json as one call per line. The log is looked at twice a second.`,
  })
    .option("--server <name>", "only calls to this server")
    .option("--tool <name>", "only calls of this tool, by the name its server gives it")
    .addOption(new Option("--status <status>", "only calls with this status").choices(STATUSES))
    .addOption(new Option("--limit <count>", "how many at most").argParser(parseCount).default(20))
    .option("--follow", "show further calls as they come")
    .action(async (options: Values) => {
      const wanted = {
        ...toCommon(options),
        server: text(options.server),
        tool: text(options.tool),
        status: STATUSES.find((status) => status === options.status),
        limit: Number(options.limit),
      };
      const { run } = await (options.follow === true
        ? import("../commands/calls-follow.ts")
        : import("../commands/calls.ts"));
      exitWith(await run(await context(), wanted));
    });

  addCommand("why", "explain step by step why a tool may or may not be called", {
    example: "tacklebox why read_file",
    json: JSON_SHAPES.why,
  })
    .argument("<tool>", "the tool's shown name, or the name its server gives it")
    .option("--server <name>", "only the tool of this server")
    .action(async (tool: string, options: Values) => {
      const { run } = await import("../commands/why.ts");
      exitWith(await run(await context(), { ...toCommon(options), tool, server: text(options.server) }));
    });

  addCommand("trust", "accept the present definitions of a server's changed tools", {
    example: "tacklebox trust files read_file",
    json: JSON_SHAPES.trust,
  })
    .argument("<server>", "the server")
    .argument("[tool]", "only this tool, by the name its server gives it")
    .action(async (server: string, tool: string | undefined, options: Values) => {
      const { run } = await import("../commands/trust.ts");
      exitWith(await run(await context(), { ...toCommon(options), server, tool }));
    });
}

interface CallLine {
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly options: Values;
}

async function runCall(context: Context, { server, tool, options }: CallLine, command: Command): Promise<ExitCode> {
  const common = toCommon(options);
  const metricsPort = typeof options.metrics === "number" ? options.metrics : undefined;
  const args = text(options.args);
  if (options.stdin === true) {
    if (server !== undefined || args !== undefined)
      command.error("error: --stdin takes server, tool and arguments from its input lines, not from the command line");
    return (await import("../commands/call-stdin.ts")).run(context, { ...common, metricsPort });
  }
  if (metricsPort !== undefined) command.error("error: --metrics needs --stdin");
  if (server === undefined || tool === undefined)
    return command.error("error: name a server and a tool, such as: tacklebox call files read_file, or use --stdin");
  return (await import("../commands/call.ts")).run(context, { ...common, server, tool, args: args ?? "{}" });
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
  return port;
}

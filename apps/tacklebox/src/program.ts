import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Context } from "./command-options.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import type { OpenEngine } from "./open-engine.ts";
import { JSON_SHAPES } from "./output/json-shapes.ts";
import { registerConfigFiles } from "./register/config-files.ts";
import { registerOffers } from "./register/offers.ts";
import { addCommand, type Registration, text, toCommon, type Values } from "./register/registration.ts";
import { registerSecrets } from "./register/secrets.ts";
import { VERSION } from "./version.ts";

const STATUSES = ["pending", "running", "success", "error"] as const;

const ROOT_HELP = `
Examples:
  tacklebox check                                    load the config, connect, register, report
  tacklebox servers                                  every server and how it is
  tacklebox tools --server files                     what may be called, and its limits
  tacklebox call files read_file --args '{"path":"a.txt"}'
  tacklebox call --stdin < calls.jsonl               many calls at once, one JSON object per line
  tacklebox calls --limit 50                         what was called
  tacklebox why read_file                            why a tool may or may not be called
  tacklebox trust files                              accept changed tool definitions
  tacklebox secret set github.token                  store a credential that config files name
  tacklebox import claude                            copy the servers of another program, switched off
  tacklebox add files --command npx --arg -y --arg @modelcontextprotocol/server-filesystem --arg .
  tacklebox enable files                             switch a server on; disable, remove
  tacklebox resources                                what can be read from servers
  tacklebox read files file:///notes.txt             read it
  tacklebox prompts                                  the prompts servers offer

Exit codes: 0 ok, 1 could not start, 2 usage, 3 a call ended in error, 4 denied, 130 interrupted
The config is ./tacklebox.yaml or .json, then the same in your config folder. TACKLEBOX_DATA moves the data folder.`;

/** Runs one command line. Commands are imported when they are needed, so that help costs nothing. */
export async function runProgram(argv: readonly string[], io: Io, openEngine?: OpenEngine): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const writes: Promise<void>[] = [];

  const context = async (): Promise<Context> => ({
    io,
    openEngine: openEngine ?? (await import("./open-engine.ts")).openEngine,
  });
  const program = new Command("tacklebox")
    .description("One governed box for every MCP tool")
    .version(VERSION, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .addHelpText("after", ROOT_HELP)
    .exitOverride()
    .showHelpAfterError("Try `tacklebox --help`.")
    .configureOutput({
      writeOut: (text) => void writes.push(io.stdout.write(text)),
      writeErr: (text) => void writes.push(io.stderr.write(text)),
      getOutHelpWidth: () => io.columns ?? 100,
      getErrHelpWidth: () => io.stderrColumns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });

  addCommand(program, "check", "load the config, connect every server, register the tools and report", {
    example: "tacklebox check --config tacklebox.yaml",
    json: JSON_SHAPES.check,
  }).action(async (options: Values) => {
    exitCode = await (await import("./commands/check.ts")).run(await context(), toCommon(options));
  });

  addCommand(program, "servers", "show every server: status, transport, protocol, tools, cause", {
    example: "tacklebox servers --json",
    json: JSON_SHAPES.servers,
  }).action(async (options: Values) => {
    exitCode = await (await import("./commands/servers.ts")).run(await context(), toCommon(options));
  });

  addCommand(program, "tools", "show every tool that may be called, with its limits", {
    example: "tacklebox tools --server files",
    json: JSON_SHAPES.tools,
  })
    .option("--server <name>", "only the tools of this server")
    .action(async (options: Values) => {
      const { run } = await import("./commands/tools.ts");
      exitCode = await run(await context(), { ...toCommon(options), server: text(options.server) });
    });

  addCommand(program, "call", "call a tool, or with --stdin many at once", {
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
      exitCode = await runCall(await context(), { server, tool, options }, command);
    });

  addCommand(program, "calls", "show the call log, newest first; starts no server", {
    example: "tacklebox calls --status error --limit 5",
    json: JSON_SHAPES.calls,
  })
    .option("--server <name>", "only calls to this server")
    .option("--tool <name>", "only calls of this tool, by the name its server gives it")
    .addOption(new Option("--status <status>", "only calls with this status").choices(STATUSES))
    .addOption(new Option("--limit <count>", "how many at most").argParser(parseCount).default(20))
    .action(async (options: Values) => {
      const { run } = await import("./commands/calls.ts");
      exitCode = await run(await context(), {
        ...toCommon(options),
        server: text(options.server),
        tool: text(options.tool),
        status: STATUSES.find((status) => status === options.status),
        limit: Number(options.limit),
      });
    });

  addCommand(program, "why", "explain step by step why a tool may or may not be called", {
    example: "tacklebox why read_file",
    json: JSON_SHAPES.why,
  })
    .argument("<tool>", "the tool's shown name, or the name its server gives it")
    .option("--server <name>", "only the tool of this server")
    .action(async (tool: string, options: Values) => {
      const { run } = await import("./commands/why.ts");
      exitCode = await run(await context(), { ...toCommon(options), tool, server: text(options.server) });
    });

  addCommand(program, "trust", "accept the present definitions of a server's changed tools", {
    example: "tacklebox trust files read_file",
    json: JSON_SHAPES.trust,
  })
    .argument("<server>", "the server")
    .argument("[tool]", "only this tool, by the name its server gives it")
    .action(async (server: string, tool: string | undefined, options: Values) => {
      const { run } = await import("./commands/trust.ts");
      exitCode = await run(await context(), { ...toCommon(options), server, tool });
    });

  const group = (parent: Command): Registration => ({
    addCommand: (name, summary, help) => addCommand(parent, name, summary, help),
    context,
    exitWith: (code) => {
      exitCode = code;
    },
  });
  registerOffers(group(program));
  registerConfigFiles(group(program));
  registerSecrets(
    group(program.command("secret").description("keep credentials for servers: set, list, remove, rotate")),
  );

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  await Promise.all(writes);
  return exitCode;
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
    return (await import("./commands/call-stdin.ts")).run(context, { ...common, metricsPort });
  }
  if (metricsPort !== undefined) command.error("error: --metrics needs --stdin");
  if (server === undefined || tool === undefined)
    return command.error("error: name a server and a tool, such as: tacklebox call files read_file, or use --stdin");
  return (await import("./commands/call.ts")).run(context, { ...common, server, tool, args: args ?? "{}" });
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
  return port;
}

function parseCount(value: string): number {
  const count = Number(value);
  if (!/^\d{1,6}$/.test(value) || count < 1)
    throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
  return count;
}

import { Command, CommanderError } from "commander";
import { addCommands, helpWidth } from "./command-line/add-commands.ts";
import { describeOverview } from "./command-line/overview.ts";
import type { Context } from "./command-options.ts";
import { COMMAND_TABLE } from "./command-table/command-table.ts";
import { COMPLETE } from "./completion/word-kinds.ts";
import type { OpenEngine } from "./compose-engine.ts";
import { whyFoldersAreRefused } from "./config-file/folders.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { chooseFirstStep } from "./first-steps.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./output/print.ts";
import { VERSION } from "./version.ts";

/** Runs one command line. Commands are imported only when they run, so that help is fast. */
export async function runProgram(
  argv: readonly string[],
  io: Io,
  openEngine: OpenEngine = loadAndOpenEngine,
): Promise<ExitCode> {
  if (argv.length === 0) {
    const refusal = whyFoldersAreRefused(io);
    if (refusal !== undefined) return refuse(io, refusal);
    const step = await chooseFirstStep(io);
    return step === "nothing" ? EXIT.ok : runProgram([step], io, openEngine);
  }
  if (argv[0] === COMPLETE) {
    const { complete } = await import("./completion/complete.ts");
    return complete(argv.slice(1), io, COMMAND_TABLE);
  }
  const context: Context = { io, openEngine };
  const writes: Promise<void>[] = [];
  const program = createParser(io, writes);
  let exitCode: ExitCode = EXIT.ok;
  // Registering every command takes longer than most commands run, so only the named command or group is registered.
  const named = COMMAND_TABLE.find(({ name }) => name === argv[0]);
  addCommands(program, named === undefined ? COMMAND_TABLE : [named], async (row, given, command) => {
    const refusal = whyFoldersAreRefused(io);
    if (refusal !== undefined) {
      exitCode = await refuse(io, refusal);
      return;
    }
    const started = await row.start(context, given);
    if (started.kind === "refused") return command.error(`error: ${started.message}`);
    exitCode = started.exitCode;
  });

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  await Promise.all(writes);
  return exitCode;
}

async function refuse(io: Io, message: string): Promise<ExitCode> {
  await printProblems(io, [message]);
  return EXIT.couldNotStart;
}

const loadAndOpenEngine: OpenEngine = async (request) => {
  const { composeEngine } = await import("./compose-engine.ts");
  return composeEngine(request);
};

/** The width of help where there is no terminal. */
const WIDTH = 80;

/** A parser without commands. Adds its output to `writes`, which must be awaited before the process ends. */
function createParser(io: Io, writes: Promise<void>[]): Command {
  return new Command("tacklebox")
    .description("One governed box for every MCP tool")
    .version(VERSION, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpCommand(
      new Command("help").argument("[command]").description("show how to use a command").helpGroup("Upkeep:"),
    )
    .addHelpText("after", ({ command, error }) => describeOverview(helpWidth(command, error ? "error" : "output")))
    .exitOverride()
    .showHelpAfterError("Try `tacklebox --help`.")
    .configureOutput({
      writeOut: (text) => void writes.push(io.stdout.write(text)),
      writeErr: (text) => void writes.push(io.stderr.write(text)),
      getOutHelpWidth: () => io.columns ?? WIDTH,
      getErrHelpWidth: () => io.stderrColumns ?? WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

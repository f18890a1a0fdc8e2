import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import type { Context } from "./command-options.ts";
import { findConfig } from "./config-file/find-config.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { describeFirstSteps } from "./first-steps.ts";
import type { Io } from "./io.ts";
import type { OpenEngine } from "./open-engine.ts";
import { registerAcp } from "./register/acp.ts";
import { registerChat } from "./register/chat.ts";
import { registerCompletion } from "./register/completion.ts";
import { registerConfigFiles } from "./register/config-files.ts";
import { registerDoctor } from "./register/doctor.ts";
import { registerGpts } from "./register/gpts.ts";
import { registerModels } from "./register/models.ts";
import { registerOffers } from "./register/offers.ts";
import { addCommand, addGroup, type Registration } from "./register/registration.ts";
import { registerRun } from "./register/run.ts";
import { registerSearch } from "./register/search.ts";
import { registerSecrets } from "./register/secrets.ts";
import { registerGrants, registerSessions } from "./register/sessions.ts";
import { registerToolbox } from "./register/toolbox.ts";
import { VERSION } from "./version.ts";

const ROOT_HELP = `
Examples:
  tacklebox chat                                     talk with a model that has all of your tools
  tacklebox check                                    load the config, connect, register, report
  tacklebox servers                                  every server and how it is
  tacklebox tools --server files                     what may be called, and its limits
  tacklebox search "rename a file"                   tools by what is to be done
  tacklebox call files read_file --args '{"path":"a.txt"}'
  tacklebox call --stdin < calls.jsonl               many calls at once, one JSON object per line
  tacklebox run "what is in my files?"               one prompt, worked to its end
  tacklebox acp                                      serve an editor: Zed, JetBrains, Emacs, Neovim
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
  tacklebox model list                               which models can answer; test, to ask one
  tacklebox gpt list                                 saved assistants; show, add, remove
  tacklebox sessions list                            conversations; show, remove
  tacklebox grants list                              what was allowed for longer; revoke
  tacklebox doctor                                   what is wrong, and what to do about it
  tacklebox completion bash                          complete commands with the Tab key

Exit codes: 0 ok, 1 could not start, 2 usage, 3 a call ended in error, 4 denied, 130 interrupted
The config is ./tacklebox.yaml or .json, then the same in your config folder. TACKLEBOX_DATA moves the data folder.`;

/** Runs one command line. Commands are imported when they are needed, so that help costs nothing. */
export async function runProgram(argv: readonly string[], io: Io, openEngine?: OpenEngine): Promise<ExitCode> {
  if (argv.length === 0) {
    await io.stdout.write(describeFirstSteps(findConfig(undefined, io, existsSync)));
    return EXIT.ok;
  }
  let exitCode: ExitCode = EXIT.ok;
  const writes: Promise<void>[] = [];

  const context = async (): Promise<Context> => ({
    io,
    openEngine: openEngine ?? (await import("./open-engine.ts")).composeEngine,
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

  const group = (parent: Command): Registration => ({
    addCommand: (name, summary, help) => addCommand(parent, name, summary, help),
    context,
    exitWith: (code) => {
      exitCode = code;
    },
  });
  // Describing every command costs more than most of them do: whoever names one pays for that one and its kind.
  const all = registrars();
  const named = all.find(({ names }) => names.includes(argv[0] ?? ""));
  for (const { register } of named === undefined ? all : [named]) register();

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  await Promise.all(writes);
  return exitCode;

  /** In the order of the help. */
  function registrars(): readonly Registrar[] {
    const top = group(program);
    const within = (name: string, summary: string) => group(addGroup(program, name, summary));
    return [
      {
        names: ["check", "servers", "tools", "call", "calls", "why", "trust"],
        register: () => registerToolbox(top),
      },
      { names: ["chat"], register: () => registerChat(top, io) },
      { names: ["search"], register: () => registerSearch(top) },
      { names: ["run"], register: () => registerRun(top) },
      { names: ["acp"], register: () => registerAcp(top, io) },
      { names: ["resources", "read", "prompts"], register: () => registerOffers(top) },
      { names: ["import", "add", "remove", "enable", "disable"], register: () => registerConfigFiles(top) },
      {
        names: ["model"],
        register: () => registerModels(within("model", "the models that can answer: list, test")),
      },
      { names: ["gpt"], register: () => registerGpts(within("gpt", "saved assistants: list, show, add, remove")) },
      {
        names: ["sessions"],
        register: () => registerSessions(within("sessions", "conversations: list, show, remove")),
      },
      {
        names: ["grants"],
        register: () => registerGrants(within("grants", "remembered answers to approvals: list, revoke")),
      },
      {
        names: ["secret"],
        register: () => registerSecrets(within("secret", "keep credentials for servers: set, list, remove, rotate")),
      },
      { names: ["doctor"], register: () => registerDoctor(top) },
      // Without a name: it tells a shell of all the others.
      { names: [], register: () => registerCompletion(top, program, io) },
    ];
  }
}

/** A file of commands and what people type to mean one of them. */
interface Registrar {
  readonly names: readonly string[];
  readonly register: () => void;
}

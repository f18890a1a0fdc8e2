import { type Caller, type Engine, type Logger, listen, type StartProblem } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { loadWithoutUnagreed } from "../config-file/load-optional-config.ts";
import type { OnReload } from "../engine/config-reloads.ts";
import { type Opened, openEngine } from "../engine/open.ts";
import { warnOfDrops } from "../engine/warn-of-drops.ts";
import type { Client } from "./abilities.ts";
import { RpcError } from "./rpc/rpc-error.ts";
import type { Choices } from "./settings.ts";

/** The engine as this door uses it: open, and starting in the background. */
export interface AcpDoor {
  readonly engine: Engine;
  readonly logger: Logger;
  /** The caller that prompts of this door are attributed to. */
  readonly caller: Caller;
  /** The config file in the current folder that is not used, with why and what to do; undefined if there is none. */
  readonly leftOut: string | undefined;
  /**
   * Resolves once the servers of the config are up, or were waited for long enough, with the problems that block
   * prompts. Never rejects.
   */
  readonly started: Promise<readonly StartProblem[]>;
  /** The models and GPTs known so far. */
  choices(): Choices;
  /** Resolves to all choices. Looking for models takes a while. Never rejects. */
  readonly allChoices: Promise<Choices>;
  /** Calls the listener with all choices whenever a changed config may have changed them. */
  onChoices(listener: (known: Choices) => void): void;
  readonly reloadConfig: Opened["reloadConfig"];
  /** Calls the listener after each reload that nobody asked for. Returns a function that stops it. */
  onReload(listener: OnReload): () => void;
  /** Stops every server and every run. */
  close(): Promise<void>;
}

export interface DoorRequest {
  readonly context: Context;
  readonly common: CommonOptions;
  readonly gpt: string | undefined;
  readonly metricsPort: number | undefined;
  readonly client: Client;
}

/** Opens the engine. Rejects with RpcError when that fails. */
export async function openDoor({ context, common, gpt, metricsPort, client }: DoorRequest): Promise<AcpDoor> {
  const { forms, urls } = client.abilities;
  const { loaded, leftOut } = await loadWithoutUnagreed(common.config, context.io);
  const listeners = new Set<OnReload>();
  const onReload: OnReload = (changes) => {
    for (const listener of listeners) listener(changes);
  };
  const opened = await openEngine(context, {
    common,
    defaultLevel: "warn",
    longRunning: { metricsPort, onReload },
    writeLog: (line) => void context.io.stderr.write(line),
    config: loaded,
    answersQuestions: forms || urls,
    logsStartProblems: true,
  });
  if (opened.kind === "refused") throw new RpcError("internal", opened.messages.join("\n\n"));
  const { engine, logger } = opened;
  const stopWarning = warnOfDrops(engine, logger);
  const notUsed = leftOut.length === 0 ? undefined : leftOut.join("\n");
  if (notUsed !== undefined) logger.log("warn", notUsed);
  const stopping = new AbortController();
  let stopListening: () => void = () => undefined;
  const close = async () => {
    stopping.abort();
    stopWarning();
    stopListening();
    await opened.detach();
  };
  const gpts = await engine.gpts.list();
  if (gpt !== undefined && gpts.every(({ key }) => key !== gpt)) {
    await close();
    const known = gpts.map(({ key }) => key).join(", ");
    throw new RpcError("internal", `There is no GPT '${gpt}'. Available: ${known === "" ? "none" : known}`);
  }
  let choices: Choices = { models: [], gpts };
  const choosers = new Set<(known: Choices) => void>();
  const lookForChoices = async () => {
    try {
      const [models, known] = await Promise.all([engine.models.list(), engine.gpts.list()]);
      choices = { models, gpts: known };
    } catch (error) {
      logger.log("warn", `The models could not be listed, so there are none to choose from. ${messageOf(error)}`);
    }
    return choices;
  };
  stopListening = listen(engine, (event) => {
    if (event.type !== "config-changed") return;
    void lookForChoices().then((known) => {
      for (const tell of choosers) tell(known);
    });
  });
  return {
    engine,
    logger,
    leftOut: notUsed,
    caller: { door: "acp", ...(client.name !== undefined && { client: client.name }) },
    started: start(opened, stopping.signal),
    choices: () => choices,
    allChoices: lookForChoices(),
    onChoices: (listener) => void choosers.add(listener),
    reloadConfig: opened.reloadConfig,
    onReload(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
  };
}

async function start(opened: Opened, signal: AbortSignal): Promise<readonly StartProblem[]> {
  try {
    const problems = await opened.start(signal, { kind: "join-later" });
    await opened.untilJoined(signal, "to-begin");
    return problems;
  } catch (error) {
    // No one may be waiting for the start, so the problem is reported with the next prompt.
    const text = `Tacklebox could not start. ${messageOf(error)}`;
    opened.logger.log("error", text);
    return [{ kind: "misconfigured", text }];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

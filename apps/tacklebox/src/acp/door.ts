import type { Elicitor, Engine, Logger, StartProblem } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { loadOptionalConfig } from "../config-file/load-optional-config.ts";
import { noMetrics } from "../metrics.ts";
import { openLoaded } from "../open-configured.ts";
import { RpcError } from "./rpc-error.ts";
import type { Choices } from "./settings.ts";

/** The engine as this door uses it: opened, and on its way to being started. */
export interface Door {
  readonly engine: Engine;
  readonly redact: (text: string) => string;
  readonly logger: Logger;
  /** What keeps prompts from being worked on, once every server of the config was tried. Never rejects. */
  readonly started: Promise<readonly StartProblem[]>;
  /** What people may choose from, as far as it is known by now. */
  choices(): Choices;
  /** All of it: models are looked for, which takes a while. Never rejects. */
  readonly allChoices: Promise<Choices>;
  /** Ends every server and every run. */
  close(): Promise<void>;
}

export interface DoorRequest {
  readonly context: Context;
  readonly common: CommonOptions;
  readonly gpt: string | undefined;
  readonly elicitor: Elicitor | undefined;
}

/** Rejects with RpcError when there is no engine to be had, saying why. */
export async function openDoor({ context, common, gpt, elicitor }: DoorRequest): Promise<Door> {
  const { io } = context;
  const loaded = await loadOptionalConfig(common.config, io);
  if (loaded.kind === "refused") throw refusal(loaded.messages);
  const writeLog = (line: string) => void io.stderr.write(line);
  const asking = elicitor === undefined ? {} : { elicitor };
  const setting = { common, defaultLevel: "warn" as const, metrics: noMetrics, writeLog, ...asking };
  const opened = await openLoaded(context, setting, loaded);
  if (opened.kind === "refused") throw refusal(opened.messages);
  const { engine, redact, logger } = opened;
  const close = async () => {
    stopping.abort();
    await engine.stop(0);
    await opened.close();
  };
  const stopping = new AbortController();
  const gpts = await engine.listGpts();
  if (gpt !== undefined && gpts.every(({ key }) => key !== gpt)) {
    await close();
    const known = gpts.map(({ key }) => key).join(", ");
    throw new RpcError("internal", `There is no GPT '${gpt}'. There are: ${known === "" ? "none" : known}`);
  }
  let choices: Choices = { models: [], gpts };
  const allChoices = engine.listModels().then(
    (models) => {
      choices = { models, gpts };
      return choices;
    },
    (error: unknown) => {
      logger.log("warn", `The models could not be listed, so there are none to choose from. ${messageOf(error)}`);
      return choices;
    },
  );
  return {
    engine,
    redact,
    logger,
    started: start(engine, logger, redact, stopping.signal),
    choices: () => choices,
    allChoices,
    close,
  };
}

function refusal(messages: readonly string[]): RpcError {
  return new RpcError("internal", messages.join("\n\n"));
}

async function start(
  engine: Engine,
  logger: Logger,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<readonly StartProblem[]> {
  try {
    const { problems } = await engine.start(signal);
    return problems.map((problem) => ({ ...problem, text: redact(problem.text) }));
  } catch (error) {
    if (signal.aborted) return [];
    // Nobody may be waiting for the start; the editor that prompts next is told.
    logger.log("error", `Tacklebox could not start. ${messageOf(error)}`);
    return [{ kind: "misconfigured", text: redact(`Tacklebox could not start. ${messageOf(error)}`) }];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

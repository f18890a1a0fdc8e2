import type { Caller, Engine, Logger, StartProblem } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { type Opened, openEngine } from "../engine/open.ts";
import { noMetrics } from "../metrics.ts";
import type { Client } from "./abilities.ts";
import { RpcError } from "./rpc-error.ts";
import type { Choices } from "./settings.ts";

/** The engine as this door uses it: opened, and on its way to being started. */
export interface AcpDoor {
  readonly engine: Engine;
  readonly logger: Logger;
  /** Whose prompts these are. */
  readonly caller: Caller;
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
  readonly client: Client;
}

/** Rejects with RpcError when there is no engine to be had, saying why. */
export async function openDoor({ context, common, gpt, client }: DoorRequest): Promise<AcpDoor> {
  const { forms, urls } = client.abilities;
  const opened = await openEngine(context, {
    common,
    defaultLevel: "warn",
    metrics: noMetrics,
    writeLog: (line) => void context.io.stderr.write(line),
    config: "optional",
    answersQuestions: forms || urls,
  });
  if (opened.kind === "refused") throw new RpcError("internal", opened.messages.join("\n\n"));
  const { engine, logger } = opened;
  const stopping = new AbortController();
  const close = async () => {
    stopping.abort();
    await opened.detach();
  };
  const gpts = await engine.gpts.list();
  if (gpt !== undefined && gpts.every(({ key }) => key !== gpt)) {
    await close();
    const known = gpts.map(({ key }) => key).join(", ");
    throw new RpcError("internal", `There is no GPT '${gpt}'. There are: ${known === "" ? "none" : known}`);
  }
  let choices: Choices = { models: [], gpts };
  const allChoices = engine.models.list().then(
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
    logger,
    caller: { door: "acp", ...(client.name !== undefined && { client: client.name }) },
    started: start(opened, stopping.signal),
    choices: () => choices,
    allChoices,
    close,
  };
}

async function start(opened: Opened, signal: AbortSignal): Promise<readonly StartProblem[]> {
  try {
    return await opened.start(signal);
  } catch (error) {
    // Nobody may be waiting for the start; the editor that prompts next is told.
    const text = `Tacklebox could not start. ${messageOf(error)}`;
    opened.logger.log("error", text);
    return [{ kind: "misconfigured", text }];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import {
  type CallFailure,
  type CallOutcome,
  type CallRequest,
  type Engine,
  type EngineConfig,
  findInexactNumbers,
  inexactText,
  isJsonObject,
  type JsonObject,
  listen,
  type RegisteredTool,
  StoreError,
  toResultText,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { settleAgreement } from "../config-file/agreement/settle-agreement.ts";
import {
  findNamedTool,
  type NamedTool,
  planFor,
  readToolName,
  serverNamesOf,
  type ToolName,
} from "../engine/named-tool.ts";
import { type BorrowedEngine, CLI, oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode, exitCodeOf } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { parseJson } from "../json-lines/parse-line.ts";
import { readWhole } from "../json-lines/read-chunks.ts";
import { logBug } from "../logs.ts";
import { BROKEN_CALL, toOutcomeJson } from "../output/json/outcome-json.ts";
import { forStream, printJson, printProblems } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { formatProgress } from "../output/progress-line.ts";
import { newTimeOrderedId } from "../time-ordered-id.ts";
import { readArguments } from "../tool-arguments/read-arguments.ts";
import { sampleCall } from "../tool-arguments/sample-call.ts";
import { formatSignature } from "../tool-arguments/signature.ts";
import type { CallWords } from "./call/call-words.ts";
import type { CallStdinOptions } from "./call/stdin.ts";

export type CallOptions = CallOnceOptions | CallStdinOptions;

interface CallOnceOptions extends CommonOptions, CallWords {
  readonly from: "command-line";
}

/** Makes the call given on the command line, or the calls that arrive on stdin. */
export async function run(context: Context, options: CallOptions): Promise<ExitCode> {
  if (options.from === "command-line") return callOnce(context, options);
  const { callFromStdin } = await import("./call/stdin.ts");
  return callFromStdin(context, options);
}

/** Makes one call and prints its result. */
async function callOnce(context: Context, options: CallOnceOptions): Promise<ExitCode> {
  const { io } = context;
  const { first, second, typed, object = "{}" } = options;
  const unagreed = object === "-" ? await settleAgreement(io, options.config) : undefined;
  if (unagreed !== undefined) {
    await printProblems(io, unagreed);
    return EXIT.couldNotStart;
  }
  const given = await readObject(object, io);
  if (given.kind === "refused") {
    await printProblems(io, [given.message]);
    return EXIT.usage;
  }
  const named = (config: EngineConfig) => readToolName(first, second, serverNamesOf(config));
  const use = { ...oneShot(options), plan: (config: EngineConfig) => planFor(named(config)) };

  return withStartedEngine(context, use, async (borrowed) => {
    const { engine, config, interrupted, terminated } = borrowed;
    const signal = AbortSignal.any([interrupted, terminated]);
    const { readings, server } = named(config);
    const tool = await lookUp({ readings, server }, borrowed, signal);
    if (tool === undefined && server !== undefined && !signal.aborted) {
      await printProblems(io, [await askForTool(engine, server)]);
      return EXIT.usage;
    }
    const read = readArguments(typed, given.arguments, tool?.tool.inputSchema);
    if (read.kind === "refused") {
      // What was typed may be a secret that belongs elsewhere.
      const problems = await engine.secrets.redact(read.messages.join("\n"));
      await printProblems(io, [[problems, ...howToCall(tool, options.config)].join("\n")]);
      return EXIT.usage;
    }
    const [reading] = readings;
    const target = tool === undefined || reading.tool === tool.shownName ? reading : toReading(tool);
    const request = { id: newTimeOrderedId(), ...target, arguments: read.arguments };
    return makeAndPrint(request, { tool, options, signal }, borrowed, io);
  });
}

/** Undefined if the lookup throws, too: the call is made all the same, so that it is recorded and answered. */
async function lookUp(
  named: NamedTool,
  { engine, logger }: BorrowedEngine,
  signal: AbortSignal,
): Promise<RegisteredTool | undefined> {
  try {
    return await findNamedTool(named, engine, signal);
  } catch (error) {
    // A store that cannot be used is no bug: whoever opened it reports it.
    if (error instanceof StoreError) throw error;
    logBug(logger, "The tool could not be looked up", error);
    return undefined;
  }
}

interface PlannedCall {
  /** Undefined if no such tool is known; the engine then says why. */
  readonly tool: RegisteredTool | undefined;
  readonly options: CallOnceOptions;
  readonly signal: AbortSignal;
}

async function makeAndPrint(
  request: KnownRequest,
  { tool, options, signal }: PlannedCall,
  borrowed: BorrowedEngine,
  io: Io,
): Promise<ExitCode> {
  const { engine, line } = borrowed;
  const stopListening = listen(engine, (event) => {
    if (event.type === "call-progressed" && event.callId === request.id)
      line.show(formatProgress(request.tool, event.progress));
  });
  const outcome = await make(request, borrowed, signal).finally(stopListening);
  line.clear();

  if (options.json) await printJson(io, toOutcomeJson(outcome, request));
  else if (outcome.status === "success") await io.stdout.write(forStream(toResultText(outcome), io.stdoutIsTerminal));
  else {
    const text = [toResultText(outcome), ...hintFor(outcome.failure, tool, options.config)].join("\n");
    await io.stderr.write(forStream(text, io.stderrIsTerminal));
  }
  return signal.aborted && outcome.status === "error" ? EXIT.interrupted : exitCodeOf(outcome);
}

type KnownRequest = CallRequest & { readonly id: string };

function toReading({ ref: { server, name } }: RegisteredTool): ToolName {
  return { server, tool: name };
}

/** For somebody who named a server and no tool of it. */
async function askForTool(engine: Engine, server: string): Promise<string> {
  const tools = (await engine.tools.list()).filter(({ ref }) => ref.server === server);
  const names = tools.slice(0, MAX_NAMED).map(({ ref }) => ref.name);
  const listed = names.length === 0 ? "" : ` It has: ${names.join(", ")}${tools.length > MAX_NAMED ? ", …" : ""}.`;
  return `'${server}' is a server; name one of its tools too.${listed}\n\`tacklebox tools --server ${server}\` lists them.`;
}

const MAX_NAMED = 10;

/** Makes the call, which has an outcome even if not even the engine has one for it. */
async function make(
  request: KnownRequest,
  { engine, logger }: BorrowedEngine,
  signal: AbortSignal,
): Promise<CallOutcome> {
  try {
    return await engine.calls.make(request, { signal, caller: CLI });
  } catch (error) {
    // A store that cannot be used is no bug: whoever opened it reports it.
    if (error instanceof StoreError) throw error;
    logBug(logger, "The call could not be made", error);
    const failure = { ending: "interrupted", message: BROKEN_CALL } as const;
    return { callId: request.id, shownName: request.tool, durationMs: 0, status: "error", failure };
  }
}

/** What helps people further; programs have the ending. */
function hintFor({ ending }: CallFailure, tool: RegisteredTool | undefined, config: string | undefined) {
  if (ending === "unknown-tool") return ["`tacklebox tools` shows what may be called."];
  return ending === "invalid-arguments" ? howToCall(tool, config) : [];
}

function howToCall(tool: RegisteredTool | undefined, config: string | undefined): readonly string[] {
  if (tool === undefined) return [];
  return ["", ...[formatSignature(tool), `Example: ${sampleCall(tool, config)}`].map(printableLine)];
}

const LARGEST_ARGUMENTS_BYTES = 16 * 1024 * 1024;

type ReadObject =
  | { readonly kind: "ok"; readonly arguments: JsonObject }
  | { readonly kind: "refused"; readonly message: string };

async function readObject(json: string, io: Io): Promise<ReadObject> {
  const source = json === "-" ? "stdin" : "--args";
  const text = json === "-" ? await readWhole(io.stdin, LARGEST_ARGUMENTS_BYTES) : json;
  if (text === undefined) return { kind: "refused", message: "stdin: arguments may be at most 16 MiB" };
  const parsed = parseJson(text);
  if (parsed.kind === "invalid") return { kind: "refused", message: `${source}: not JSON: ${parsed.reason}` };
  if (!isJsonObject(parsed.value))
    return { kind: "refused", message: `${source}: arguments must be an object, such as {"message": "hello"}` };
  const [inexact] = findInexactNumbers(text);
  if (inexact !== undefined) return { kind: "refused", message: `${source}: ${inexactText(inexact)}` };
  return { kind: "ok", arguments: parsed.value };
}

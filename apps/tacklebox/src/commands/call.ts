import {
  type CallFailure,
  type CallOutcome,
  type CallRequest,
  findInexactNumbers,
  inexactText,
  isJsonObject,
  type JsonObject,
  listen,
  StoreError,
  toResultText,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { settleAgreement } from "../config-file/agreement/settle-agreement.ts";
import { type BorrowedEngine, CLI, oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode, exitCodeOf } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { parseJson } from "../json-lines/parse-line.ts";
import { readWhole } from "../json-lines/read-chunks.ts";
import { logBug } from "../logs.ts";
import { BROKEN_CALL, toOutcomeJson } from "../output/json/outcome-json.ts";
import { forStream, printJson, printProblems } from "../output/print.ts";
import { formatProgress } from "../output/progress-line.ts";
import { newTimeOrderedId } from "../time-ordered-id.ts";
import type { CallStdinOptions } from "./call/stdin.ts";

export type CallOptions = CallOnceOptions | CallStdinOptions;

interface CallOnceOptions extends CommonOptions {
  readonly from: "command-line";
  readonly server: string;
  readonly tool: string;
  /** JSON, or `-` to read it from stdin. */
  readonly args: string;
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
  const unagreed = options.args === "-" ? await settleAgreement(io, options.config) : undefined;
  if (unagreed !== undefined) {
    await printProblems(io, unagreed);
    return EXIT.couldNotStart;
  }
  const parsed = await readArguments(options.args, io);
  if (parsed.kind === "refused") {
    await printProblems(io, [parsed.message]);
    return EXIT.usage;
  }
  const { server, tool } = options;
  const id = newTimeOrderedId();
  const request = { id, server, tool, arguments: parsed.arguments };

  return withStartedEngine(context, oneShot(options, server), async (borrowed) => {
    const { engine, line, interrupted, terminated } = borrowed;
    const signal = AbortSignal.any([interrupted, terminated]);
    const stopListening = listen(engine, (event) => {
      if (event.type === "call-progressed" && event.callId === id) line.show(formatProgress(tool, event.progress));
    });
    const outcome = await make(request, borrowed, signal).finally(stopListening);
    line.clear();

    if (options.json) await printJson(io, toOutcomeJson(outcome, request));
    else if (outcome.status === "success") await io.stdout.write(forStream(toResultText(outcome), io.stdoutIsTerminal));
    else await io.stderr.write(forStream(toResultText(outcome) + hintFor(outcome.failure), io.stderrIsTerminal));
    return signal.aborted && outcome.status === "error" ? EXIT.interrupted : exitCodeOf(outcome);
  });
}

/** Makes the call, which has an outcome even if not even the engine has one for it. */
async function make(
  request: CallRequest & { readonly id: string },
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

/** A hint for people; programs have the ending. */
function hintFor({ ending }: CallFailure): string {
  return ending === "unknown-tool" ? "\n`tacklebox tools` shows what may be called." : "";
}

const LARGEST_ARGUMENTS_BYTES = 16 * 1024 * 1024;

type ReadArguments =
  | { readonly kind: "ok"; readonly arguments: JsonObject }
  | { readonly kind: "refused"; readonly message: string };

async function readArguments(args: string, io: Io): Promise<ReadArguments> {
  const source = args === "-" ? "stdin" : "--args";
  const text = args === "-" ? await readWhole(io.stdin, LARGEST_ARGUMENTS_BYTES) : args;
  if (text === undefined) return { kind: "refused", message: "stdin: arguments may be at most 16 MiB" };
  const parsed = parseJson(text);
  if (parsed.kind === "invalid") return { kind: "refused", message: `${source}: not JSON: ${parsed.reason}` };
  if (!isJsonObject(parsed.value))
    return { kind: "refused", message: `${source}: arguments must be an object, such as {"message": "hello"}` };
  const [inexact] = findInexactNumbers(text);
  if (inexact !== undefined) return { kind: "refused", message: `${source}: ${inexactText(inexact)}` };
  return { kind: "ok", arguments: parsed.value };
}

import type { CallOutcome } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { type BorrowedEngine, CLI, withStartedEngine } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { createInFlight } from "../../json-lines/in-flight.ts";
import { type ParsedLine, parseLine } from "../../json-lines/parse-line.ts";
import { readChunks } from "../../json-lines/read-chunks.ts";
import { type InputLine, splitLines } from "../../json-lines/split-lines.ts";
import { logBug } from "../../logs.ts";
import type { OutcomeJson } from "../../output/json/json-shapes.ts";
import { toBrokenJson, toOutcomeJson, toRefusedJson } from "../../output/json/outcome-json.ts";
import { jsonLine } from "../../output/print.ts";

export interface CallStdinOptions extends CommonOptions {
  readonly from: "stdin";
  readonly metricsPort: number | undefined;
}

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_IN_FLIGHT = { count: 1_000, bytes: 64 * 1024 * 1024 };
const DRAIN_MS = 10_000;

/** Makes one call per line of JSON, all concurrently, and prints each outcome when the call ends. */
export async function callFromStdin(context: Context, options: CallStdinOptions): Promise<ExitCode> {
  const use = {
    common: options,
    defaultLevel: "info",
    exitWhenTerminated: EXIT.ok,
    plan: { kind: "join-later" },
    longRunning: { metricsPort: options.metricsPort },
  } as const;
  return withStartedEngine(context, use, (borrowed) => answerLines(context.io, borrowed));
}

async function answerLines(io: Io, borrowed: BorrowedEngine): Promise<ExitCode> {
  const { interrupted, terminated, detach } = borrowed;
  const cancel = AbortSignal.any([interrupted, io.stdout.gone]);
  const stopReading = AbortSignal.any([cancel, terminated]);
  const inFlight = createInFlight(MAX_IN_FLIGHT);

  for await (const line of splitLines(readChunks(io.stdin, stopReading), MAX_LINE_BYTES)) {
    await inFlight.waitForRoom(stopReading);
    if (stopReading.aborted) break;
    // A line is in flight until its outcome is written, so that a slow reader of our output slows down our input.
    inFlight.add(answerLine(io, borrowed, line, cancel), line.kind === "line" ? line.bytes : 0);
  }

  if (stopReading.aborted) await detach(cancel.aborted ? 0 : DRAIN_MS);
  await inFlight.allEnded();
  return interrupted.aborted ? EXIT.interrupted : EXIT.ok;
}

/**
 * Prints the line's outcome, once, whatever throws: whoever sent the line waits for it. Rejects only if the outcome
 * cannot be written.
 */
async function answerLine(io: Io, borrowed: BorrowedEngine, line: InputLine, signal: AbortSignal): Promise<void> {
  let parsed: ParsedLine | undefined;
  let written: Promise<void> | undefined;
  const write = (outcome: OutcomeJson): Promise<void> => {
    written = io.stdout.write(jsonLine(outcome));
    return written;
  };
  try {
    parsed = parseLine(line, MAX_LINE_BYTES);
    const outcome = await outcomeOf(parsed, borrowed, signal, write);
    if (written === undefined) void write(outcome());
  } catch (error) {
    logBug(borrowed.logger, `Line ${line.number} could not be answered`, error);
    if (written === undefined) void write(toBrokenJson(parsed, line.number));
  }
  await written;
}

async function outcomeOf(
  parsed: ParsedLine,
  { engine }: BorrowedEngine,
  signal: AbortSignal,
  write: (outcome: OutcomeJson) => Promise<void>,
): Promise<() => OutcomeJson> {
  if (parsed.kind === "refused") return () => toRefusedJson(parsed);
  const toJson = (outcome: CallOutcome) => toOutcomeJson(outcome, parsed.request, parsed.id);
  // A large result holds up other large ones until it is written, so that a slow reader does not fill our memory.
  const onLargeOutcome = (outcome: CallOutcome) => write(toJson(outcome));
  const outcome = await engine.calls.make(parsed.request, { signal, caller: CLI, onLargeOutcome });
  return () => toJson(outcome);
}

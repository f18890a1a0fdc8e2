import { type RunEnd, streamRun, systemClock } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { CLI, type IdleEngine, withIdleEngine } from "../../engine/with-engine.ts";
import { type ExitCode, exitCodeOfRun } from "../../exit-code.ts";
import type { ModelTestJson } from "../../output/json/manage-shapes.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableLine } from "../../output/printable.ts";
import { cutToWidth } from "../../output/text-width.ts";

export interface ModelTestOptions extends CommonOptions {
  /** The default model when absent. */
  readonly name: string | undefined;
}

const PROMPT = "Answer with one word: ready";
const MAX_ANSWER_LENGTH = 60;

/** Asks a model for one word, in a normal run, and reports how long it took or what went wrong. */
export function run(context: Context, options: ModelTestOptions): Promise<ExitCode> {
  const { io } = context;
  return withIdleEngine(context, options, async (idle) => {
    const tried = await tryModel(options.name, idle);
    const { end, model, durationMs, text } = tried;
    const message = "message" in end ? end.message : undefined;
    const ok = end.reason === "done";
    if (options.json) {
      await printJson(io, {
        model: model ?? options.name ?? null,
        ok,
        duration_ms: durationMs,
        text,
        ...("code" in end && { code: end.code }),
        ...(ok ? {} : { message: message ?? describe(end) }),
      } satisfies ModelTestJson);
    }
    if (!ok) await printProblems(io, [message ?? describe(end)]);
    else if (!options.json) await io.stdout.write(`${printableLine(formatAnswer(tried))}\n`);
    return exitCodeOfRun(end);
  });
}

interface Tried {
  readonly end: RunEnd;
  readonly model: string | undefined;
  readonly durationMs: number;
  readonly text: string;
}

async function tryModel(name: string | undefined, { engine, interrupted }: IdleEngine): Promise<Tried> {
  const begin = systemClock.monotonic();
  let sessionId: string | undefined;
  let model: string | undefined;
  let text = "";
  let end: RunEnd = { reason: "cancelled" };
  const request = { prompt: [{ type: "text", text: PROMPT } as const], maxRounds: 1, ...(name && { model: name }) };
  for await (const event of streamRun(engine, request, { signal: interrupted, caller: CLI })) {
    if (event.type === "run-started") ({ sessionId, model } = event);
    if (event.type === "text") text += event.text;
    if (event.type === "run-ended") ({ end } = event);
  }
  const durationMs = Math.round(systemClock.monotonic() - begin);
  // The test must not show up among the person's conversations.
  if (sessionId !== undefined) await engine.sessions.remove(sessionId);
  return { end, model, durationMs, text: text.trim() };
}

function formatAnswer({ model, durationMs, text }: Tried): string {
  const answer = cutToWidth(text.replace(/\s+/g, " "), MAX_ANSWER_LENGTH);
  return `${model ?? ""} answered in ${(durationMs / 1000).toFixed(3)} s${answer === "" ? "" : `: ${answer}`}`;
}

function describe({ reason }: RunEnd): string {
  if (reason === "refused") return "The model refused to answer.";
  return reason === "length" ? "The model's answer was cut short." : "The test was cancelled.";
}

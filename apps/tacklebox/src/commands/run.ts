import {
  type ApprovalMode,
  type Engine,
  type RunEnd,
  type RunEvent,
  type RunRequest,
  streamRun,
  type ToolChoice,
} from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { type BorrowedEngine, CLI, oneShot, withStartedEngineEvenUnconfigured } from "../engine/lend.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-code.ts";
import { describeUnknownGpt } from "../output/gpt-json.ts";
import { printProblems } from "../output/print.ts";
import { createJsonReport, createTextReport, type RunReport } from "../output/run-report.ts";
import { readPrompt } from "../read-prompt.ts";
import { describeUnknownSession } from "./sessions-show.ts";

export interface RunCommandOptions extends CommonOptions {
  /** `-` for stdin alone. */
  readonly prompt: string | undefined;
  readonly gpt: string | undefined;
  readonly model: string | undefined;
  readonly approve: ApprovalMode | undefined;
  readonly session: string | undefined;
  /** Put into the session for good. */
  readonly tools: readonly string[];
  /** Taken out of it for good. */
  readonly without: readonly string[];
}

const DRAIN_MS = 10_000;

/** Works one prompt to its end with every tool there is, and shows what happens as it happens. */
export async function run(context: Context, options: RunCommandOptions): Promise<ExitCode> {
  const { io } = context;
  const prompt = await readPrompt(options.prompt, io);
  if (prompt.kind === "refused") {
    await printProblems(io, [prompt.message]);
    return EXIT.usage;
  }
  const both = options.tools.find((name) => options.without.includes(name));
  if (both !== undefined) {
    await printProblems(io, [`'${both}' is named by --tool and by --without. Name it by one of them.`]);
    return EXIT.usage;
  }
  const tools = { ...choose(options.tools, "in"), ...choose(options.without, "out") };
  const request: RunRequest = {
    prompt: [{ type: "text", text: prompt.text }],
    ...(options.gpt !== undefined && { gpt: options.gpt }),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.approve !== undefined && { approvalMode: options.approve }),
    ...(options.session !== undefined && { sessionId: options.session }),
    ...(Object.keys(tools).length > 0 && { tools }),
  };
  return withStartedEngineEvenUnconfigured(context, oneShot(options), (session) => {
    const report = options.json ? createJsonReport(io) : createTextReport(io, session.line);
    return followRun(request, session, report, io.stdout.gone);
  });
}

function choose(names: readonly string[], choice: ToolChoice): Record<string, ToolChoice> {
  return Object.fromEntries(names.map((name) => [name, choice]));
}

async function followRun(
  request: RunRequest,
  { engine, interrupted, terminated, detach }: BorrowedEngine,
  report: RunReport,
  readerGone: AbortSignal,
): Promise<ExitCode> {
  // Asked to end, a run may finish what it is at; no new call is made for it.
  const drain = () => void detach(DRAIN_MS);
  terminated.addEventListener("abort", drain, { once: true });
  if (terminated.aborted) drain();
  let end: RunEnd = { reason: "cancelled" };
  const signal = AbortSignal.any([interrupted, readerGone]);
  for await (const event of streamRun(engine, request, { signal, caller: CLI })) {
    const shown = terminated.aborted ? event : await withWhereToLook(event, request, engine);
    await report.show(shown);
    if (shown.type === "run-ended") end = shown.end;
  }
  await report.finish(end);
  return exitCodeOfRun(end);
}

/** The engine knows that a GPT or session is not there; which command shows those that are, only a terminal's door. */
async function withWhereToLook(event: RunEvent, { gpt, sessionId }: RunRequest, engine: Engine): Promise<RunEvent> {
  if (event.type !== "run-ended" || event.end.reason !== "not-started") return event;
  const saying = (message: string): RunEvent => ({ ...event, end: { reason: "not-started", message } });
  if (gpt !== undefined && !(await engine.gpts.list()).some(({ key }) => key === gpt))
    return saying(describeUnknownGpt(gpt));
  if (sessionId !== undefined && (await engine.sessions.get(sessionId)) === undefined)
    return saying(describeUnknownSession(sessionId));
  return event;
}

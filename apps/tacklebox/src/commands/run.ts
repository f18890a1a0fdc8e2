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
import { settleAgreement } from "../config-file/agreement/settle-agreement.ts";
import { findSessionId } from "../engine/find-id.ts";
import { type BorrowedEngine, CLI, forModel, withStartedEngineEvenUnconfigured } from "../engine/with-engine.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-code.ts";
import { describeUnknownGpt } from "../output/json/gpt-json.ts";
import { printProblems } from "../output/print.ts";
import { createJsonReport, createTextReport, type RunReport } from "../output/reports/run-report.ts";
import { readPrompt } from "../read-prompt.ts";

export interface RunCommandOptions extends CommonOptions {
  /** The text; `-` reads it from stdin alone. */
  readonly prompt: string | undefined;
  readonly gpt: string | undefined;
  readonly model: string | undefined;
  readonly approve: ApprovalMode | undefined;
  readonly session: string | undefined;
  /** Tools to add to the session permanently. */
  readonly tools: readonly string[];
  /** Tools to remove from the session permanently. */
  readonly without: readonly string[];
  readonly metricsPort: number | undefined;
}

const DRAIN_MS = 10_000;

/** Works one prompt to its end with every available tool, and shows events as they happen. */
export async function run(context: Context, options: RunCommandOptions): Promise<ExitCode> {
  const { io } = context;
  const unagreed = options.prompt === "-" ? await settleAgreement(io, options.config) : undefined;
  if (unagreed !== undefined) {
    await printProblems(io, unagreed);
    return EXIT.couldNotStart;
  }
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
  const engineUse = forModel(options, { metricsPort: options.metricsPort });
  return withStartedEngineEvenUnconfigured(context, engineUse, async (borrowed) => {
    const found = options.session === undefined ? undefined : await findSessionId(options.session, borrowed.engine);
    const named = found?.kind === "found" ? { ...request, sessionId: found.id } : request;
    const report = options.json ? createJsonReport(io) : createTextReport(io, borrowed.line);
    const showsDefinitions = io.stderrIsTerminal && !options.json;
    return followRun({ request: named, showsDefinitions }, borrowed, report, io.stdout.gone);
  });
}

function choose(names: readonly string[], choice: ToolChoice): Record<string, ToolChoice> {
  return Object.fromEntries(names.map((name) => [name, choice]));
}

async function followRun(
  { request, showsDefinitions }: { readonly request: RunRequest; readonly showsDefinitions: boolean },
  { engine, interrupted, terminated, detach }: BorrowedEngine,
  report: RunReport,
  readerGone: AbortSignal,
): Promise<ExitCode> {
  // On SIGTERM a run may finish what it is doing, but makes no new calls.
  const drain = () => void detach(DRAIN_MS);
  terminated.addEventListener("abort", drain, { once: true });
  if (terminated.aborted) drain();
  let end: RunEnd = { reason: "cancelled" };
  let runId = "";
  const signal = AbortSignal.any([interrupted, readerGone]);
  for await (const event of streamRun(engine, request, { signal, showsDefinitions, caller: CLI })) {
    if (event.type === "run-started") runId = event.runId;

    const shown = terminated.aborted ? event : await withAdvice(event, request, engine);
    await report.show(shown);
    if (shown.type === "definitions-new") await engine.runs.confirmShown(runId);
    if (shown.type === "run-ended") end = shown.end;
  }
  await report.finish(end);
  return exitCodeOfRun(end);
}

/** Adds which command lists the existing GPTs or sessions, which the engine does not know. */
async function withAdvice(event: RunEvent, { gpt, sessionId }: RunRequest, engine: Engine): Promise<RunEvent> {
  if (event.type !== "run-ended" || event.end.reason !== "not-started") return event;
  const withMessage = (message: string): RunEvent => ({ ...event, end: { reason: "not-started", message } });
  if (gpt !== undefined && !(await engine.gpts.list()).some(({ key }) => key === gpt))
    return withMessage(describeUnknownGpt(gpt));
  const session = sessionId === undefined ? undefined : await findSessionId(sessionId, engine);
  if (session?.kind === "refused") return withMessage(session.message);
  return event;
}

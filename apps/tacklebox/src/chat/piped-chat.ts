import { type Engine, type RunEnd, streamRun } from "@tacklebox/core";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-code.ts";
import type { RunReport } from "../output/reports/run-report.ts";
import { CALLER, toRunRequest } from "./conversation-settings.ts";
import type { Person } from "./person.ts";
import { type ChatState, parseInput } from "./slash/slash-commands.ts";

export interface PipedDeps extends ChatState {
  readonly engine: Engine;
  readonly lines: Pick<Person, "readPrompt">;
  /** Creates the report of one prompt. */
  readonly createReport: () => RunReport;
  readonly print: (text: string) => Promise<void>;
}

/**
 * Runs every line as a prompt. No one is there to answer, so calls that need approval are denied and the model is told
 * so. The exit code is that of the last prompt that failed.
 */
export async function runPipedChat(deps: PipedDeps, signal: AbortSignal): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  for (;;) {
    const reply = await deps.lines.readPrompt(signal);
    if (reply.kind === "none") return reply.why === "left" ? exitCode : EXIT.interrupted;
    const text = reply.text.trim();
    if (text === "") continue;
    const line = parseInput(text);
    if (line.kind === "quit") return exitCode;
    if (line.kind === "unknown") await deps.print(`${line.message}\n`);
    if (line.kind === "command") await deps.print(`${(await line.command.run(line.argument, deps)).trimEnd()}\n`);
    if (line.kind !== "prompt") continue;
    const end = await workPrompt(text, deps, signal);
    if (end.reason !== "done") exitCode = exitCodeOfRun(end);
    if (signal.aborted) return EXIT.interrupted;
  }
}

async function workPrompt(text: string, deps: PipedDeps, signal: AbortSignal): Promise<RunEnd> {
  const { engine, settings } = deps;
  const report = deps.createReport();
  let end: RunEnd = { reason: "cancelled" };
  for await (const event of streamRun(engine, toRunRequest(settings, text), { caller: CALLER, signal })) {
    if (event.type === "run-started") settings.sessionId = event.sessionId;
    if (event.type === "run-ended") end = event.end;
    await report.show(event);
  }
  await report.finish(end);
  return end;
}

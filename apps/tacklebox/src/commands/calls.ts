import type { Caller, CallQuery, CallRecord, CallStatus, CallTimes } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { dataFolder } from "../config-file/folders.ts";
import { type EngineWithRecords, withKeptIfAny } from "../engine/lend.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { callLogFile } from "../open-engine.ts";
import type { Colour } from "../output/colour.ts";
import type { CallJson, CallsJson } from "../output/json-shapes.ts";
import { printJson, printProblems, tableLook } from "../output/print.ts";
import { formatTable, type TableLook } from "../output/table.ts";

export interface CallsOptions extends CommonOptions {
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly status: CallStatus | undefined;
  readonly limit: number;
}

/** Shows the call log, newest first. No server is started, and no config is needed. */
export function run(context: Context, options: CallsOptions): Promise<ExitCode> {
  const { io } = context;
  return withKeptIfAny(context, options, async (kept) => {
    const loaded = kept === undefined ? [] : await loadCalls(kept, options);
    if (typeof loaded === "string") {
      await printProblems(io, [`${callLogFile(dataFolder(io))}\n${loaded}`]);
      return EXIT.couldNotStart;
    }
    await (options.json
      ? printJson(io, { calls: loaded.map(toCallJson) } satisfies CallsJson)
      : io.stdout.write(formatCalls(loaded, isFiltered(options), tableLook(io))));
    return EXIT.ok;
  });
}

/** The records, or what to tell people when there is no reading them. */
async function loadCalls(
  { engine, recover }: EngineWithRecords,
  options: CallsOptions,
): Promise<readonly CallRecord[] | string> {
  try {
    // Otherwise a call of a process that was killed would be shown as running until the next start.
    await recover();
    return (await engine.calls.list(toQuery(options))).items;
  } catch (error) {
    return `Cannot read the call log: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export function toQuery({ server, tool, status, limit }: CallsOptions): CallQuery {
  return {
    limit,
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { toolName: tool }),
    ...(status === undefined ? {} : { status }),
  };
}

export const STATUS_COLOURS = {
  pending: "yellow",
  running: "yellow",
  success: "green",
  error: "red",
} as const satisfies Record<CallStatus, Colour>;

function isFiltered({ server, tool, status }: CallsOptions): boolean {
  return server !== undefined || tool !== undefined || status !== undefined;
}

function formatCalls(calls: readonly CallRecord[], filtered: boolean, look: TableLook): string {
  if (calls.length === 0 && filtered) return "No recorded call fits. `tacklebox calls` without filters shows all.\n";
  if (calls.length === 0) return "No calls are recorded yet. `tacklebox call` makes one.\n";
  const rows = calls.map((call) => [
    call.startedAt,
    call.server,
    call.toolName,
    { text: call.ending ?? call.status, colour: STATUS_COLOURS[call.status] },
    took(call),
    calledFrom(call),
    (call.error?.split("\n", 1)[0] ?? "") + lateAnswer(call),
  ]);
  return formatTable(["STARTED", "SERVER", "TOOL", "STATUS", "TOOK", "FROM", "ERROR"], rows, look);
}

function lateAnswer({ completedAt, lateAnswerAt }: CallRecord): string {
  if (completedAt === undefined || lateAnswerAt === undefined) return "";
  const seconds = (Date.parse(lateAnswerAt) - Date.parse(completedAt)) / 1000;
  return `. It answered ${seconds.toFixed(3)} s later`;
}

export function took({ startedAt, completedAt }: CallRecord): string {
  if (completedAt === undefined) return "-";
  return `${((Date.parse(completedAt) - Date.parse(startedAt)) / 1000).toFixed(3)} s`;
}

/** The door it came through, and what the program behind that calls itself. */
export function calledFrom({ caller }: CallRecord): string {
  if (caller === undefined) return "-";
  return caller.client === undefined ? caller.door : `${caller.door} (${caller.client})`;
}

export function toCallJson(call: CallRecord): CallJson {
  return {
    id: call.id,
    server: call.server,
    tool: call.toolName,
    shown_name: call.shownName,
    arguments: call.arguments,
    status: call.status,
    ...(call.ending === undefined ? {} : { ending: call.ending }),
    ...(call.error === undefined ? {} : { error: call.error }),
    ...(call.result === undefined ? {} : { result: call.result }),
    ...(call.decision === undefined ? {} : { decision: call.decision }),
    started_at: call.startedAt,
    ...(call.completedAt === undefined ? {} : { completed_at: call.completedAt }),
    ...(call.lateAnswerAt === undefined ? {} : { late_answer_at: call.lateAnswerAt }),
    ...(call.caller === undefined ? {} : { caller: toCallerJson(call.caller) }),
    ...(call.times === undefined ? {} : toTimesJson(call.times)),
    ...(call.sent === undefined ? {} : { sent: call.sent }),
  };
}

function toCallerJson({ door, client, sessionId, principal }: Caller): NonNullable<CallJson["caller"]> {
  return {
    door,
    ...(client === undefined ? {} : { client }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(principal === undefined ? {} : { principal }),
  };
}

function toTimesJson({ personMs, slotMs, runMs }: CallTimes) {
  return { waited_for_person_ms: personMs, waited_for_slot_ms: slotMs, ran_ms: runMs };
}

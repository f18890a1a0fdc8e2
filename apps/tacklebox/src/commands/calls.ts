import type { CallRecord } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { type EngineWithRecords, withExistingRecords } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { CallsJson } from "../output/json/json-shapes.ts";
import { printJson, tableStyle } from "../output/print.ts";
import { shortenIds } from "../output/short-ids.ts";
import { formatTable, type TableStyle } from "../output/table.ts";
import {
  CALL_STATUS_COLOURS,
  calledFrom,
  durationOf,
  noteOf,
  toCallJson,
  toQuery,
  type WantedCalls,
  waitOf,
} from "./calls/call-record.ts";
import { recoverCalls } from "./calls/recover-calls.ts";

export interface CallsOptions extends WantedCalls {
  /** The one call to show, by its id or the beginning of it. */
  readonly id: string | undefined;
  /** Whether to keep showing further calls as they are made. */
  readonly follow: boolean;
}

/** Shows the call log, newest first. No server is started, and no config is needed. */
export async function run(context: Context, options: CallsOptions): Promise<ExitCode> {
  if (options.id !== undefined) {
    const { showCall } = await import("./calls/show-call.ts");
    return showCall(context, options.id, options);
  }
  if (options.follow) {
    const { followCalls } = await import("./calls/follow.ts");
    return followCalls(context, options);
  }
  const { io } = context;
  return withExistingRecords(context, options, async (records) => {
    const loaded = records === undefined ? [] : await loadCalls(io, records, options);
    await (options.json
      ? printJson(io, { calls: loaded.map(toCallJson) } satisfies CallsJson)
      : io.stdout.write(formatCalls(loaded, isFiltered(options), tableStyle(io))));
    return EXIT.ok;
  });
}

async function loadCalls(io: Io, records: EngineWithRecords, options: CallsOptions): Promise<readonly CallRecord[]> {
  await recoverCalls(io, records);
  return (await records.engine.calls.list(toQuery(options))).items;
}

function isFiltered({ server, tool, status }: CallsOptions): boolean {
  return server !== undefined || tool !== undefined || status !== undefined;
}

function formatCalls(calls: readonly CallRecord[], filtered: boolean, style: TableStyle): string {
  if (calls.length === 0 && filtered)
    return "No recorded call matches. `tacklebox calls` without filters shows them all.\n";
  if (calls.length === 0) return "No calls are recorded yet. `tacklebox call` makes one.\n";
  const ids = shortenIds(calls.map(({ id }) => id));
  const rows = calls.map((call, index) => [
    ids[index] ?? call.id,
    call.startedAt,
    call.server,
    call.toolName,
    { text: call.ending ?? call.status, colour: CALL_STATUS_COLOURS[call.status] },
    durationOf(call),
    waitOf(call),
    calledFrom(call),
    noteOf(call),
  ]);
  return formatTable(["ID", "STARTED", "SERVER", "TOOL", "STATUS", "RAN", "WAITED", "FROM", "ERROR"], rows, style);
}

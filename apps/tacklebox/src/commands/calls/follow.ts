import { type CallRecord, type CallStatus, delay, type Engine, systemClock } from "@tacklebox/core";
import type { Context } from "../../command-options.ts";
import { withRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { watchSignals } from "../../interruption.ts";
import type { Io } from "../../io.ts";
import { choosePaint } from "../../output/colour.ts";
import { printJson } from "../../output/print.ts";
import { printableLine } from "../../output/printable.ts";
import { shortenIds } from "../../output/short-ids.ts";
import { textWidth } from "../../output/text-width.ts";
import {
  CALL_STATUS_COLOURS,
  calledFrom,
  durationOf,
  noteOf,
  toCallJson,
  toQuery,
  type WantedCalls,
  waitOf,
} from "./call-record.ts";
import { recoverCalls } from "./recover-calls.ts";

const POLL_MS = 500;
const MIN_READ = 200;
const MAX_READ = 100_000;

/** Shows the newest calls, then every new call and every change of status, until it is interrupted. */
export function followCalls(context: Context, options: WantedCalls): Promise<ExitCode> {
  const { io } = context;
  return withRecords(context, options, async ({ engine, recover }) => {
    const { interrupted, terminated, dispose } = watchSignals(io.control);
    try {
      await recoverCalls(io, { recover });
      await follow(engine, options, io, AbortSignal.any([interrupted, terminated, io.stdout.gone]));
      return interrupted.aborted || terminated.aborted ? EXIT.interrupted : EXIT.ok;
    } finally {
      dispose();
    }
  });
}

async function follow({ calls }: Engine, options: WantedCalls, io: Io, ended: AbortSignal): Promise<void> {
  const show = options.json ? (call: CallRecord) => printJson(io, toCallJson(call)) : createLines(io);
  const { items: first } = await calls.list(toQuery({ ...options, limit: Math.max(options.limit, MIN_READ) }));
  let seen = statusesOf(first);
  for (const call of first.slice(0, options.limit).reverse()) await show(call);
  while (!ended.aborted) {
    await delay(POLL_MS, systemClock, ended);
    const latest = await listBackTo(seen, calls, options);
    for (const call of latest.filter(({ id, status }) => seen.get(id) !== status).reverse()) await show(call);
    seen = statusesOf(latest);
  }
}

/** Lists the newest calls, going back until it finds one that was seen before. */
async function listBackTo(
  seen: ReadonlyMap<string, CallStatus>,
  calls: Engine["calls"],
  options: WantedCalls,
): Promise<readonly CallRecord[]> {
  for (let limit = MIN_READ; ; limit *= 4) {
    const { items: latest, next } = await calls.list(toQuery({ ...options, limit }));
    const isWhole = next === undefined || limit >= MAX_READ || latest.some(({ id }) => seen.has(id));
    if (isWhole) return latest;
  }
}

function statusesOf(calls: readonly CallRecord[]): ReadonlyMap<string, CallStatus> {
  return new Map(calls.map(({ id, status }) => [id, status]));
}

/** Prints one line per call, with columns as wide as the widest text so far: printed lines cannot be realigned. */
function createLines(io: Io): (call: CallRecord) => Promise<void> {
  const paint = choosePaint(io.stdoutIsTerminal, io.env);
  const widths: number[] = [];
  return async (call) => {
    const status = call.ending ?? call.status;
    const [id = call.id] = shortenIds([call.id]);
    const times = [durationOf(call), waitOf(call)];
    const cells = [id, call.startedAt, call.server, call.toolName, status, ...times, calledFrom(call)].map(
      printableLine,
    );
    const padded = cells.map((text, column) => {
      const width = Math.max(widths[column] ?? 0, textWidth(text));
      widths[column] = width;
      const padding = " ".repeat(width - textWidth(text));
      return (text === status ? paint(text, CALL_STATUS_COLOURS[call.status]) : text) + padding;
    });
    await io.stdout.write(`${[...padded, printableLine(noteOf(call))].join("  ").trimEnd()}\n`);
  };
}

import { type CallRecord, type CallStatus, delay, type Engine, systemClock } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { withKept } from "../engine/lend.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import type { Io } from "../io.ts";
import { choosePaint } from "../output/colour.ts";
import { printJson } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { textWidth } from "../output/text-width.ts";
import { type CallsOptions, calledFrom, STATUS_COLOURS, toCallJson, took, toQuery } from "./calls.ts";

const PAUSE_MS = 500;
const FEWEST_LOOKED_AT = 200;
const MOST_LOOKED_AT = 100_000;

/** Shows the newest calls, then every further one and every change of one, until somebody stops it. */
export function run(context: Context, options: CallsOptions): Promise<ExitCode> {
  const { io } = context;
  return withKept(context, options, async ({ engine, recover }) => {
    const { interrupted, terminated, dispose } = watchSignals(io.control);
    try {
      await recover();
      await follow(engine, options, io, AbortSignal.any([interrupted, terminated, io.stdout.gone]));
      return interrupted.aborted || terminated.aborted ? EXIT.interrupted : EXIT.ok;
    } finally {
      dispose();
    }
  });
}

async function follow({ calls }: Engine, options: CallsOptions, io: Io, ended: AbortSignal): Promise<void> {
  const show = options.json ? (call: CallRecord) => printJson(io, toCallJson(call)) : createLines(io);
  const { items: first } = await calls.list(toQuery({ ...options, limit: Math.max(options.limit, FEWEST_LOOKED_AT) }));
  let seen = statusesOf(first);
  for (const call of first.slice(0, options.limit).reverse()) await show(call);
  while (!ended.aborted) {
    await delay(PAUSE_MS, systemClock, ended);
    const latest = await listBackTo(seen, calls, options);
    for (const call of latest.filter(({ id, status }) => seen.get(id) !== status).reverse()) await show(call);
    seen = statusesOf(latest);
  }
}

/** The newest calls, as many as it takes to meet one that was seen before. */
async function listBackTo(
  seen: ReadonlyMap<string, CallStatus>,
  calls: Engine["calls"],
  options: CallsOptions,
): Promise<readonly CallRecord[]> {
  for (let limit = FEWEST_LOOKED_AT; ; limit *= 4) {
    const { items: latest, next } = await calls.list(toQuery({ ...options, limit }));
    const isWhole = next === undefined || limit >= MOST_LOOKED_AT || latest.some(({ id }) => seen.has(id));
    if (isWhole) return latest;
  }
}

function statusesOf(calls: readonly CallRecord[]): ReadonlyMap<string, CallStatus> {
  return new Map(calls.map(({ id, status }) => [id, status]));
}

/** One line for each call, in columns that are as wide as the widest text so far: there is no going back. */
function createLines(io: Io): (call: CallRecord) => Promise<void> {
  const paint = choosePaint(io.stdoutIsTerminal, io.env);
  const widths: number[] = [];
  return async (call) => {
    const status = call.ending ?? call.status;
    const cells = [call.startedAt, call.server, call.toolName, status, took(call), calledFrom(call)].map(printableLine);
    const padded = cells.map((text, column) => {
      const width = Math.max(widths[column] ?? 0, textWidth(text));
      widths[column] = width;
      const padding = " ".repeat(width - textWidth(text));
      return (text === status ? paint(text, STATUS_COLOURS[call.status]) : text) + padding;
    });
    const error = printableLine(call.error?.split("\n", 1)[0] ?? "");
    await io.stdout.write(`${[...padded, error].join("  ").trimEnd()}\n`);
  };
}

import type { CallOutcome, CallSummary, RunEnd, RunEvent, Selection } from "@tacklebox/core";
import type { Io } from "../io.ts";
import { choosePaint, type Paint } from "./colour.ts";
import { printJson, printProblems } from "./print.ts";
import { printableLine } from "./printable.ts";
import { formatProgress, type ProgressLine } from "./progress-line.ts";
import { toRunEventJson } from "./run-json.ts";
import { createTextStream } from "./text-stream.ts";
import { cutToWidth } from "./text-width.ts";

/** How a door without a screen of its own shows a run. */
export interface RunReport {
  show(event: RunEvent): Promise<void>;
  finish(end: RunEnd): Promise<void>;
}

export function createJsonReport(io: Io): RunReport {
  return {
    async show(event) {
      const json = toRunEventJson(event);
      if (json !== undefined) await printJson(io, json);
    },
    async finish(end) {
      // Whoever could not start says so where all commands say it, too.
      if (end.reason === "not-started") await printProblems(io, [end.message]);
    },
  };
}

/**
 * The model's text on stdout and nothing else; the rest on stderr. What a person wants to see besides (each call, the
 * session to go on with) is left out where no person looks; what went wrong is said everywhere.
 */
export function createTextReport(io: Io, line: ProgressLine): RunReport {
  const text = createTextStream(io);
  const look: Look = {
    paint: choosePaint(io.stderrIsTerminal, io.env),
    columns: io.stderrIsTerminal ? (io.stderrColumns ?? 80) : undefined,
  };
  const tools = new Map<string, string>();
  let model = "";
  let session = "";

  /** On one screen, a line about a call must not begin in the middle of the text. */
  async function note(words: string): Promise<void> {
    if (io.stdoutIsTerminal) await text.endLine();
    await line.write(`${words}\n`);
  }

  async function show(event: RunEvent): Promise<void> {
    switch (event.type) {
      case "run-started":
        model = event.model;
        session = event.sessionId;
        return;
      case "selection-made": {
        const told = formatSelection(event.selection);
        if (event.selection.capped > 0) await note(told);
        else if (io.stderrIsTerminal) await note(look.paint(told, "dim"));
        return;
      }
      case "text":
        line.clear();
        return text.write(event.text);
      case "call-changed":
        if (event.call.status !== "pending") return;
        tools.set(event.call.id, event.call.shownName);
        // What the model says after its calls is another text.
        await text.endLine();
        if (io.stderrIsTerminal) await note(formatAsked(event.call, look));
        return;
      case "call-progressed":
        return line.show(formatProgress(tools.get(event.callId) ?? "", event.progress));
      case "call-result":
        line.clear();
        if (event.outcome.status === "error" || io.stderrIsTerminal) await note(formatEnded(event.outcome, look));
        return;
      case "context-trimmed":
        return note(formatTrimmed(event.messages));
      default:
        return;
    }
  }

  return {
    show,
    async finish(end) {
      line.clear();
      const answered = text.begun();
      await text.endLine();
      const why = explainEnd(end, model, answered);
      if (why !== undefined) await printProblems(io, [why]);
      if (io.stderrIsTerminal && session !== "")
        await line.write(`${look.paint(`To go on: tacklebox run --session ${session} "…"`, "dim")}\n`);
    },
  };
}

interface Look {
  readonly paint: Paint;
  /** Undefined where lines may be of any length. */
  readonly columns: number | undefined;
}

export function formatSelection({ tools, left, capped }: Selection): string {
  const sent = `${tools.length} of ${tools.length + left + capped} tools are sent to the model, which can search the others`;
  if (capped === 0) return sent;
  return `${sent}. It takes no more: ${capped} that should be sent always are left to call_tool`;
}

export function formatTrimmed(messages: number): string {
  return `The conversation has outgrown the model: ${messages} older messages were left out`;
}

function formatAsked({ shownName, arguments: given }: CallSummary, { paint, columns }: Look): string {
  const written = printableLine(`→ ${shownName} ${JSON.stringify(given)}`);
  return paint(columns === undefined ? written : cutToWidth(written, columns - 1), "dim");
}

function formatEnded(outcome: CallOutcome, { paint, columns }: Look): string {
  const took = `${Math.round(outcome.durationMs)} ms`;
  if (outcome.status === "success") return paint(printableLine(`← ${outcome.shownName} ok, ${took}`), "dim");
  const { ending, message } = outcome.failure;
  const written = printableLine(`← ${outcome.shownName} ${ending}, ${took}: ${message}`);
  return paint(columns === undefined ? written : cutToWidth(written, columns * MOST_ROWS), "yellow");
}

/** Of a failure, which matters more than a call that went well. */
const MOST_ROWS = 4;

/** Why a run ended, where that is not plain to see. */
export function explainEnd(end: RunEnd, model: string, answered: boolean): string | undefined {
  switch (end.reason) {
    case "done":
      return answered ? undefined : `Model '${model}' ended its turn without saying anything.`;
    case "length":
      return `The answer is cut off: model '${model}' may not say more at once. Ask it to go on, or for less.`;
    case "refused":
      return `Model '${model}' refused to answer.`;
    case "cancelled":
      return "Cancelled.";
    default:
      return end.message;
  }
}

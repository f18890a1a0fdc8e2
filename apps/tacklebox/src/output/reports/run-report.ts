import type { CallOutcome, CallSummary, RunEnd, RunEvent, Selection, Usage } from "@tacklebox/core";
import type { Io } from "../../io.ts";
import { choosePaint, type Paint } from "../colour.ts";
import { toRunEventJson } from "../json/run-json.ts";
import { printJson, printProblems } from "../print.ts";
import { printableLine } from "../printable.ts";
import { formatProgress, type ProgressLine } from "../progress-line.ts";
import { createTextStream } from "../text-stream.ts";
import { cutToWidth } from "../text-width.ts";
import { formatTokens, type TokenCount } from "../token-figures.ts";
import { formatNewDefinitions, formatWithheld } from "./definition-report.ts";

/** Shows a run in doors that have no screen of their own. */
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
      // A failure to start is also printed on stderr, as in all commands.
      if (end.reason === "not-started") await printProblems(io, [end.message]);
    },
  };
}

/**
 * Prints the model's text, and nothing else, on stdout. Problems go to stderr, and on a terminal so do the calls and
 * the session to continue with.
 */
export function createTextReport(io: Io, line: ProgressLine): RunReport {
  const text = createTextStream(io);
  const style: ReportStyle = {
    paint: choosePaint(io.stderrIsTerminal, io.env),
    columns: io.stderrIsTerminal ? (io.stderrColumns ?? 80) : undefined,
  };
  const tools = new Map<string, string>();
  let model = "";
  let session = "";
  let tokens: TokenCount = { input: 0, output: 0 };

  /** Ends the current line of text first if both streams share a screen. */
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
        const summary = formatSelection(event.selection);
        if (event.selection.capped > 0) await note(summary);
        else if (io.stderrIsTerminal) await note(style.paint(summary, "dim"));
        return;
      }
      case "definitions-new":
        return note(
          formatNewDefinitions(event.definitions, {
            paint: style.paint,
            where: WHERE,
            columns: io.stderrColumns,
          }).trimEnd(),
        );
      case "definitions-withheld":
        return note(formatWithheld(event.definitions));
      case "text":
        line.clear();
        return text.write(event.text);
      case "call-changed":
        if (event.call.status !== "pending") return;
        tools.set(event.call.id, event.call.shownName);
        // The model's text after its calls is a new paragraph.
        await text.endLine();
        if (io.stderrIsTerminal) await note(formatAsked(event.call, style));
        return;
      case "call-progressed":
        return line.show(formatProgress(tools.get(event.callId) ?? "", event.progress));
      case "call-result":
        line.clear();
        if (event.outcome.status === "error" || io.stderrIsTerminal) await note(formatEnded(event.outcome, style));
        return;
      case "usage":
        tokens = addUsage(tokens, event.usage);
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
      if (io.stderrIsTerminal && tokens.input + tokens.output > 0)
        await line.write(`${style.paint(formatTokens(tokens), "dim")}\n`);
      if (io.stderrIsTerminal && session !== "")
        await line.write(`${style.paint(`To continue: tacklebox run --session ${session} "…"`, "dim")}\n`);
    },
  };
}

function addUsage({ input, output }: TokenCount, { inputTokens, outputTokens }: Usage): TokenCount {
  return { input: input + inputTokens, output: output + outputTokens };
}

const WHERE = "`tacklebox tools NAME` shows what a server says about a tool.";

interface ReportStyle {
  readonly paint: Paint;
  /** Undefined means that lines can have any length. */
  readonly columns: number | undefined;
}

export function formatSelection({ tools, left, capped }: Selection): string {
  const are = tools.length === 1 ? "is" : "are";
  const sent = `${tools.length} of ${tools.length + left + capped} tools ${are} sent to the model, which can search the others`;
  if (capped === 0) return sent;
  return `${sent}. There is no room for ${capped} more that should always be sent; the model can still use call_tool for them`;
}

export function formatTrimmed(messages: number): string {
  const were = messages === 1 ? "1 older message was" : `${messages} older messages were`;
  return `The conversation has outgrown the model: ${were} left out`;
}

function formatAsked({ shownName, arguments: given }: CallSummary, { paint, columns }: ReportStyle): string {
  const written = printableLine(`→ ${shownName} ${JSON.stringify(given)}`);
  return paint(columns === undefined ? written : cutToWidth(written, columns - 1), "dim");
}

function formatEnded(outcome: CallOutcome, { paint, columns }: ReportStyle): string {
  const duration = `${Math.round(outcome.durationMs)} ms`;
  if (outcome.status === "success") return paint(printableLine(`← ${outcome.shownName} ok, ${duration}`), "dim");
  const { ending, message } = outcome.failure;
  const written = printableLine(`← ${outcome.shownName} ${ending}, ${duration}: ${message}`);
  return paint(columns === undefined ? written : cutToWidth(written, columns * MAX_ROWS), "yellow");
}

/** A failure may take several rows, because it matters more than a success. */
const MAX_ROWS = 4;

/** Explains why a run ended, where that is not obvious. */
export function explainEnd(end: RunEnd, model: string, answered: boolean): string | undefined {
  switch (end.reason) {
    case "done":
      return answered ? undefined : `Model '${model}' ended its turn without saying anything.`;
    case "length":
      return `The answer is cut off: model '${model}' has reached its limit. Ask it to continue, or for less.`;
    case "refused":
      return `Model '${model}' refused to answer.`;
    case "cancelled":
      return "Cancelled.";
    default:
      return end.message;
  }
}

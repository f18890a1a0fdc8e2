import { type Engine, type RunEnd, type RunEvent, type RunRequest, streamRun } from "@tacklebox/core";
import { printableText } from "../../output/printable.ts";
import { formatNewDefinitions, formatWithheld } from "../../output/reports/definition-report.ts";
import { explainEnd, formatSelection } from "../../output/reports/run-report.ts";
import { formatTokens, type TokenCount } from "../../output/token-figures.ts";
import { CALLER } from "../conversation-settings.ts";
import { createMarkdownStream, type MarkdownStream } from "../markdown/markdown-stream.ts";
import { wrapLines } from "../markdown/word-wrap.ts";
import type { Person } from "../person.ts";
import { createQuestionPrompter } from "../server-questions/question-prompter.ts";
import type { Screen } from "../terminal/screen.ts";
import { type ApprovalPrompter, createApprovalPrompter } from "./ask-approvals.ts";
import type { CallCards } from "./call-cards.ts";
import { createQuestionQueue, type QuestionQueue } from "./question-queue.ts";

export interface TurnDeps {
  readonly engine: Pick<Engine, "runs" | "approvals" | "questions">;
  readonly screen: Screen;
  readonly person: Pick<Person, "choose" | "readText">;
  readonly cards: CallCards;
  /** Called with the session that the prompt creates or continues. */
  readonly sessionBegun: (id: string) => void;
  readonly cancelRun: () => void;
}

/** Shows one run from its prompt to its end, and asks the person about its calls. */
export async function followTurn(request: RunRequest, deps: TurnDeps, signal: AbortSignal): Promise<RunEnd> {
  const queue = createQuestionQueue(signal);
  const servers = createQuestionPrompter({ ...deps, queue });
  const view = createTurnView(deps, queue);
  let end: RunEnd = { reason: "cancelled" };
  let runId = "";
  const options = { attended: true, showsDefinitions: true, caller: CALLER, signal };
  try {
    for await (const event of streamRun(deps.engine, request, options)) {
      servers.show(event);
      view.show(event);
      if (event.type === "run-started") runId = event.runId;
      // Only now: it has been shown.
      if (event.type === "definitions-new") await deps.engine.runs.confirmShown(runId);
      if (event.type === "run-ended") end = event.end;
    }
  } finally {
    view.end(end);
  }
  return end;
}

const WHERE = "/tools NAME shows everything a server says about a tool.";

/** The kind of the last block on the screen. A blank line separates blocks of different kinds. */
type Block = "prompt" | "text" | "call";

interface TurnView {
  show(event: RunEvent): void;
  end(end: RunEnd): void;
}

function createTurnView(deps: TurnDeps, queue: QuestionQueue): TurnView {
  const { screen, cards, engine, person, cancelRun } = deps;
  const approvals: ApprovalPrompter = createApprovalPrompter({
    engine,
    person,
    screen,
    queue,
    cancelRun,
    edited: cards.edited,
  });
  let text: MarkdownStream | undefined;
  let block: Block = "prompt";
  let model = "";
  let answered = false;
  /** Of all turns; undefined if the model reports none. */
  let tokens: TokenCount | undefined;
  const openCalls = new Set<string>();

  function begin(kind: Block): void {
    if (block !== kind) screen.print("\n");
    block = kind;
  }

  function wait(isWaiting: boolean): void {
    screen.show("model", isWaiting ? () => ({ rows: [screen.paint("⋯", "dim")] }) : undefined);
  }

  function note(text: string): void {
    screen.print(wrapLines(text, "yellow", screen));
  }

  function endText(): void {
    text?.end();
    text = undefined;
  }

  function say(piece: string): void {
    if (text === undefined) {
      wait(false);
      begin("text");
      text = createMarkdownStream(screen);
    }
    answered = true;
    text.write(piece);
  }

  function beginCall(id: string): void {
    endText();
    wait(false);
    begin("call");
    openCalls.add(id);
  }

  return {
    show(event) {
      switch (event.type) {
        case "run-started":
          model = event.model;
          deps.sessionBegun(event.sessionId);
          return wait(true);
        case "text":
          return say(event.text);
        case "call-changed":
          if (event.call.status === "pending") beginCall(event.call.id);
          return cards.show(event);
        case "approval-requested":
          cards.show(event);
          return approvals.ask(event.request, cards.numberOf(event.request.callId) ?? 0);
        case "approval-answered":
          cards.show(event);
          return approvals.answered(event.callId);
        case "call-result":
          cards.show(event);
          openCalls.delete(event.callId);
          // Once all results are in, the model is next.
          return openCalls.size === 0 ? wait(true) : undefined;
        case "selection-made":
          // Sending only some of many tools is normal; only leaving out tools that a person chose is worth a note.
          return event.selection.capped === 0 ? undefined : note(`${formatSelection(event.selection)}.`);
        case "definitions-new":
          wait(false);
          screen.print(
            formatNewDefinitions(event.definitions, { paint: screen.paint, where: WHERE, columns: screen.columns() }),
          );
          return wait(true);
        case "definitions-withheld":
          return note(formatWithheld(event.definitions));
        case "usage": {
          const { inputTokens, outputTokens } = event.usage;
          tokens = { input: (tokens?.input ?? 0) + inputTokens, output: (tokens?.output ?? 0) + outputTokens };
          return;
        }
        case "context-trimmed":
          return note(`The model's context window is full: ${event.messages} older messages were left out.`);
        default:
          return cards.show(event);
      }
    },
    end(end) {
      endText();
      wait(false);
      const why = explainEnd(end, model, answered);
      if (why !== undefined) {
        screen.print("\n");
        note(printableText(why));
      }
      if (tokens !== undefined) screen.print(`${screen.paint(formatTokens(tokens), "dim")}\n`);
      screen.print("\n");
    },
  };
}

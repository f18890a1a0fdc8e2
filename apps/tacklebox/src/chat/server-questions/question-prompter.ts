import type { ElicitationAnswer, Engine, RunEvent, ServerQuestion } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { QuestionQueue } from "../turn/question-queue.ts";
import type { FormReply, QuestionFormDeps } from "./reply.ts";

/** Asks the person the questions that servers send during a run's calls, in one queue with the run's approvals. */
export interface QuestionPrompter {
  /** Handles an event of the run: asks new questions, and withdraws those that were answered elsewhere. */
  show(event: RunEvent): void;
}

export interface QuestionPrompterDeps extends QuestionFormDeps {
  readonly engine: Pick<Engine, "questions">;
  readonly queue: QuestionQueue;
  /** Called when the person presses Ctrl-C instead of answering. */
  readonly cancelRun: () => void;
}

export function createQuestionPrompter({ engine, queue, cancelRun, ...deps }: QuestionPrompterDeps): QuestionPrompter {
  const { screen } = deps;
  const { questions } = engine;
  const open = new Map<string, AbortController>();

  function showReply(reply: FormReply, server: string): void {
    const text = printableLine(describeReply(reply, server));
    screen.print(wrapText([{ text: text, style: "dim" }], screen, "  "));
  }

  async function readReply(question: ServerQuestion, signal: AbortSignal): Promise<FormReply> {
    if (signal.aborted) return WITHDRAWN;
    const { askServerQuestion } = await import("./ask-server-question.ts");
    const reply = await askServerQuestion(question, deps, signal);
    showReply(reply, question.server);
    return reply;
  }

  async function askOne(question: ServerQuestion, signal: AbortSignal): Promise<void> {
    const { id, server } = question;
    const reply = await readReply(question, signal);
    if (reply.kind !== "none") {
      // Another door may have answered first; its event arrives later.
      if (!(await questions.answer(id, reply))) showReply(WITHDRAWN, server);
      return;
    }
    // Cancels the run before the next question in the queue is asked.
    if (reply.why !== "withdrawn") cancelRun();
    if (open.has(id)) await questions.answer(id, CANCEL);
  }

  function ask(question: ServerQuestion): void {
    const ended = new AbortController();
    open.set(question.id, ended);
    void queue
      .add((signal) => askOne(question, signal), ended.signal)
      // Servers may send anything: a question that cannot be asked is cancelled, and the run goes on.
      .catch(() => questions.answer(question.id, CANCEL))
      .finally(() => open.delete(question.id));
  }

  return {
    show(event) {
      if (event.type === "question-asked") ask(event.question);
      if (event.type !== "question-answered") return;
      const ended = open.get(event.questionId);
      open.delete(event.questionId);
      ended?.abort();
    },
  };
}

const CANCEL: ElicitationAnswer = { kind: "cancel" };
const WITHDRAWN: FormReply = { kind: "none", why: "withdrawn" };

function describeReply(reply: FormReply, server: string): string {
  if (reply.kind === "accept") return `Your answer goes to server ${server}.`;
  if (reply.kind === "none" && reply.why === "withdrawn") return `Server ${server} no longer needs an answer.`;
  return reply.kind === "decline" ? "You declined." : "You cancelled.";
}

import type { ElicitationAnswer, Engine, RunEvent, ServerQuestion } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { QuestionLine } from "../question-line.ts";
import type { FormReply, QuestionFormDeps } from "./reply.ts";

/** Puts what servers ask in the middle of a run's calls to the person, in line with everything else they are asked. */
export interface QuestionPrompter {
  /** Of the run: what it asks is asked here, what it says was answered is asked no longer. */
  show(event: RunEvent): void;
}

export interface QuestionPrompterDeps extends QuestionFormDeps {
  readonly engine: Pick<Engine, "questions">;
  readonly line: QuestionLine;
  /** The person pressed Ctrl-C instead of answering. */
  readonly cancelRun: () => void;
}

export function createQuestionPrompter({ engine, line, cancelRun, ...ports }: QuestionPrompterDeps): QuestionPrompter {
  const { screen } = ports;
  const { questions } = engine;
  const open = new Map<string, AbortController>();

  function tell(reply: FormReply, server: string): void {
    const told = printableLine(describeReply(reply, server));
    screen.print(wrapText([{ text: told, style: "dim" }], screen, "  "));
  }

  async function readReply(question: ServerQuestion, signal: AbortSignal): Promise<FormReply> {
    if (signal.aborted) return WITHDRAWN;
    const { askServerQuestion } = await import("./ask-server-question.ts");
    const reply = await askServerQuestion(question, ports, signal);
    tell(reply, question.server);
    return reply;
  }

  async function askOne(question: ServerQuestion, signal: AbortSignal): Promise<void> {
    const { id, server } = question;
    const reply = await readReply(question, signal);
    if (reply.kind !== "silent") {
      // Somebody else may have been quicker, and that is heard of later.
      if (!(await questions.answer(id, reply))) tell(WITHDRAWN, server);
      return;
    }
    // Before anybody else in the line is asked: the run is over.
    if (reply.why !== "withdrawn") cancelRun();
    if (open.has(id)) await questions.answer(id, CANCEL);
  }

  function ask(question: ServerQuestion): void {
    const ended = new AbortController();
    open.set(question.id, ended);
    void line
      .add((signal) => askOne(question, signal), ended.signal)
      // Servers send what they like: a question that cannot be asked ends, and nothing else does.
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
const WITHDRAWN: FormReply = { kind: "silent", why: "withdrawn" };

function describeReply(reply: FormReply, server: string): string {
  if (reply.kind === "accept") return `You said yes to ${server}.`;
  if (reply.kind === "silent" && reply.why === "withdrawn") return `Server ${server} needs no answer any more.`;
  return reply.kind === "decline" ? "You declined." : "You cancelled.";
}

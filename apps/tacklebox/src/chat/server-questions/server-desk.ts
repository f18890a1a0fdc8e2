import {
  type ElicitationAnswer,
  type ElicitationRequest,
  type Elicitor,
  type RunEvent,
  redactJson,
} from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { QuestionLine } from "../question-line.ts";
import type { QuestionPorts, Reply } from "./reply.ts";

/** Puts what servers ask in the middle of a run's calls to the person, in line with everything else they are asked. */
export interface ServerDesk extends Elicitor {
  /** A server may ask while a call of its own is running, and no longer. */
  show(event: RunEvent): void;
}

export interface ServerDeskPorts extends QuestionPorts {
  readonly line: QuestionLine;
  readonly redact: (text: string) => string;
  /** The person pressed Ctrl-C instead of answering. */
  readonly cancelRun: () => void;
}

export function createServerDesk({ line, redact, cancelRun, ...ports }: ServerDeskPorts): ServerDesk {
  const { screen } = ports;
  /** Of each call that may run. */
  const servers = new Map<string, string>();
  const running = new Set<string>();
  const open = new Map<AbortController, string>();
  const isCalled = (server: string) => [...running].some((id) => servers.get(id) === server);

  function callEnded(id: string): void {
    running.delete(id);
    for (const [question, server] of open) if (!isCalled(server)) question.abort();
  }

  async function askOne(request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationAnswer> {
    if (signal.aborted) return CANCEL;
    const { askServerQuestion } = await import("./ask-server-question.ts");
    const reply = await askServerQuestion(redactJson(redact, request), ports, signal);
    const told = printableLine(describeReply(reply, request.server));
    screen.print(wrapText([{ text: told, style: "dim" }], screen, "  "));
    if (reply.kind !== "silent") return reply;
    // Before anybody else in the line is asked: the run is over.
    if (reply.why !== "withdrawn") cancelRun();
    return CANCEL;
  }

  return {
    show(event) {
      if (event.type === "call-pending" && event.server !== undefined) servers.set(event.id, event.server);
      if (event.type === "call-running") running.add(event.id);
      if (event.type === "call-ended") callEnded(event.id);
    },
    async ask(request, signal) {
      if (!isCalled(request.server)) return { kind: "decline" };
      const ended = new AbortController();
      open.set(ended, request.server);
      try {
        const wanted = AbortSignal.any([signal, ended.signal]);
        const answer = await line.add((asked) => askOne(request, asked), wanted);
        signal.throwIfAborted();
        return answer;
      } finally {
        open.delete(ended);
      }
    },
  };
}

const CANCEL: ElicitationAnswer = { kind: "cancel" };

function describeReply(reply: Reply, server: string): string {
  if (reply.kind === "accept") return `You said yes to ${server}.`;
  if (reply.kind === "silent" && reply.why === "withdrawn") return `Server ${server} needs no answer any more.`;
  return reply.kind === "decline" ? "You declined." : "You cancelled.";
}

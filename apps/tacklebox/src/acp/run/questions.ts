import type { ElicitationAnswer, Engine, JsonObject, ServerQuestion } from "@tacklebox/core";
import type { Abilities } from "../abilities.ts";
import { isObject } from "../rpc/is-object.ts";
import type { Peer } from "../rpc/peer.ts";

/** Passes the questions that servers ask in one session on to the person in the editor. */
export interface QuestionRelay {
  /** Resolves when the engine has the answer, or no longer needs one. */
  ask(question: ServerQuestion): Promise<void>;
  /** Withdraws a question that was answered elsewhere or is no longer needed. */
  withdraw(id: string): void;
  withdrawAll(): void;
}

export interface QuestionRelayDeps {
  readonly engine: Pick<Engine, "questions">;
  readonly peer: Pick<Peer, "request">;
  readonly abilities: Abilities;
  readonly sessionId: string;
}

export function createQuestionRelay({ engine, peer, abilities, sessionId }: QuestionRelayDeps): QuestionRelay {
  const asking = new Map<string, AbortController>();

  async function askEditor(question: ServerQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { callId, server, message } = question;
    const params = { sessionId, toolCallId: callId, message: `${server}: ${message}`, ...fieldsOf(question) };
    try {
      return toElicitationAnswer(await peer.request("elicitation/create", params, signal));
    } catch {
      return { kind: "cancel" };
    }
  }

  async function ask(question: ServerQuestion): Promise<void> {
    const { id, kind } = question;
    const isShown = kind === "form" ? abilities.forms : abilities.urls;
    if (!isShown) return void (await engine.questions.answer(id, { kind: "decline" }));
    const controller = new AbortController();
    asking.set(id, controller);
    const answer = await askEditor(question, controller.signal);
    asking.delete(id);
    if (!controller.signal.aborted) await engine.questions.answer(id, answer);
  }

  function withdraw(id: string): void {
    asking.get(id)?.abort();
    asking.delete(id);
  }

  return {
    ask,
    withdraw,
    withdrawAll() {
      for (const id of asking.keys()) withdraw(id);
    },
  };
}

function fieldsOf(question: ServerQuestion): object {
  if (question.kind === "url") return { mode: "url", url: question.url, elicitationId: question.id };
  return { mode: "form", requestedSchema: { properties: {}, ...question.schema, type: "object" } };
}

function toElicitationAnswer(response: unknown): ElicitationAnswer {
  const { action, content } = isObject(response) ? response : {};
  if (action === "accept") return { kind: "accept", content: isObject(content) ? (content as JsonObject) : {} };
  return action === "decline" ? { kind: "decline" } : { kind: "cancel" };
}

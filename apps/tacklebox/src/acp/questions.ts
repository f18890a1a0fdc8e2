import type { ElicitationAnswer, Engine, JsonObject, ServerQuestion } from "@tacklebox/core";
import type { Abilities } from "./abilities.ts";
import { isObject } from "./is-object.ts";
import type { Peer } from "./peer.ts";

/** What servers ask in one session, put to the person in the editor. */
export interface QuestionRelay {
  /** Settles when the engine has the answer, or needs none any more. */
  ask(question: ServerQuestion): Promise<void>;
  /** It was answered elsewhere, or nobody waits for it any more. */
  takeBack(id: string): void;
  takeAllBack(): void;
}

export interface QuestionsContext {
  readonly engine: Pick<Engine, "questions">;
  readonly peer: Pick<Peer, "request">;
  readonly abilities: Abilities;
  readonly sessionId: string;
}

export function createQuestionRelay({ engine, peer, abilities, sessionId }: QuestionsContext): QuestionRelay {
  const asking = new Map<string, AbortController>();

  async function put(question: ServerQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
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
    const answer = await put(question, controller.signal);
    asking.delete(id);
    if (!controller.signal.aborted) await engine.questions.answer(id, answer);
  }

  function takeBack(id: string): void {
    asking.get(id)?.abort();
    asking.delete(id);
  }

  return {
    ask,
    takeBack,
    takeAllBack() {
      for (const id of asking.keys()) takeBack(id);
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

import type { EngineEvent } from "../../domain/events.ts";
import type { ElicitationAnswer, QuestionEnd, ServerQuestion } from "../../domain/question.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import { redactJson } from "../../secrets/redact.ts";
import type { Asker, AskPerson } from "../../servers/ask-person.ts";
import type { CallsAtWork } from "./calls-at-work.ts";

/** All questions that servers ask people, shared by all doors. */
export interface QuestionQueue {
  readonly ask: AskPerson;
  list(): readonly ServerQuestion[];
  answer(id: string, answer: ElicitationAnswer): boolean;
}

export interface QuestionDeps {
  readonly atWork: CallsAtWork;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
}

/** The same time that an approval waits. */
const ANSWER_WITHIN_MS = 10 * 60_000;
const MAX_QUESTIONS = 100;
/** A limit per server, so that one server cannot keep the others from asking. */
const MAX_OF_ONE_SERVER = 10;

interface Waiting {
  readonly question: ServerQuestion;
  readonly asker: Asker;
  readonly end: (how: QuestionEnd, answer: ElicitationAnswer) => void;
}

const CANCEL: ElicitationAnswer = { kind: "cancel" };

export function createQuestionQueue({ atWork, clock, newId, redact, emit }: QuestionDeps): QuestionQueue {
  const waiting = new Map<string, Waiting>();

  function hasRoom({ serverKey }: Asker): boolean {
    const own = [...waiting.values()].filter(({ asker }) => asker.serverKey === serverKey);
    return waiting.size < MAX_QUESTIONS && own.length < MAX_OF_ONE_SERVER;
  }

  return {
    async ask(asker, request, signal) {
      const call = atWork.find(asker.serverKey);
      if (call === undefined || !hasRoom(asker)) return { kind: "decline" };
      const { scope, server } = asker;
      const { sessionId } = call;
      const asked =
        request.kind === "form"
          ? { kind: request.kind, schema: request.schema }
          : { kind: request.kind, url: request.url };
      const question: ServerQuestion = redactJson(redact, {
        id: newId(),
        callId: call.id,
        ...(sessionId !== undefined && { sessionId }),
        scope,
        server,
        message: request.message,
        expiresAt: clock.now() + ANSWER_WITHIN_MS,
        ...asked,
      });
      signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const end = (how: QuestionEnd, answer: ElicitationAnswer) => {
          if (!waiting.delete(question.id)) return;
          cancelTimer();
          stopWatching();
          signal.removeEventListener("abort", abort);
          resolve(answer);
          emit({ type: "question-answered", questionId: question.id, callId: question.callId, answer: how });
        };
        const abort = () => {
          reject(signal.reason);
          end("withdrawn", CANCEL);
        };
        waiting.set(question.id, { question, asker, end });
        const cancelTimer = clock.after(ANSWER_WITHIN_MS, () => end("expired", CANCEL));
        const stopWatching = atWork.onLeft(asker.serverKey, sessionId, () => end("withdrawn", CANCEL));
        signal.addEventListener("abort", abort);
        emit({ type: "question-asked", question });
      });
    },
    list: () => Array.from(waiting.values(), ({ question }) => question),
    answer(id, answer) {
      const asked = waiting.get(id);
      asked?.end(answer.kind, answer);
      return asked !== undefined;
    },
  };
}

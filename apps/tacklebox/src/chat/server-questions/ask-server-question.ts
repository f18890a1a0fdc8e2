import { createValidator, type ServerQuestion, systemClock } from "@tacklebox/core";
import { askAddress } from "./ask-address.ts";
import { askForm } from "./ask-form.ts";
import type { FormReply, QuestionFormDeps } from "./reply.ts";

/** Asks the person a server's question. Loaded with the first question, since most chats see none. */
export function askServerQuestion(
  question: ServerQuestion,
  deps: QuestionFormDeps,
  signal: AbortSignal,
): Promise<FormReply> {
  if (question.kind === "url") return askAddress(question, deps, signal);
  return askForm(question, { ...deps, validator: createValidator({ clock: systemClock }) }, signal);
}

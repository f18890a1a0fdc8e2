import { createValidator, type ServerQuestion, systemClock } from "@tacklebox/core";
import { askAddress } from "./ask-address.ts";
import { askForm } from "./ask-form.ts";
import type { QuestionPorts, Reply } from "./reply.ts";

/** Loaded when the first question comes: most chats see none. */
export function askServerQuestion(question: ServerQuestion, ports: QuestionPorts, signal: AbortSignal): Promise<Reply> {
  if (question.kind === "url") return askAddress(question, ports, signal);
  return askForm(question, { ...ports, validator: createValidator({ clock: systemClock }) }, signal);
}

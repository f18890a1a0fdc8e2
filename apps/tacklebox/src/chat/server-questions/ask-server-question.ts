import { createValidator, type ElicitationRequest, systemClock } from "@tacklebox/core";
import { askAddress } from "./ask-address.ts";
import { askForm } from "./ask-form.ts";
import type { QuestionPorts, Reply } from "./reply.ts";

/** Loaded when the first question comes: most chats see none. */
export function askServerQuestion(
  request: ElicitationRequest,
  ports: QuestionPorts,
  signal: AbortSignal,
): Promise<Reply> {
  if (request.kind === "url") return askAddress(request, ports, signal);
  return askForm(request, { ...ports, validator: createValidator({ clock: systemClock }) }, signal);
}

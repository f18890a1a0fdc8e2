import type { TurnScript } from "@tacklebox/core/testing";
import { anthropicReply } from "./anthropic-reply.ts";
import { chatReply } from "./chat-reply.ts";
import { responsesReply } from "./responses-reply.ts";
import type { ApiName } from "./test-models.ts";
import type { Reply } from "./vendor-server.ts";

/** Converts a scripted turn to the reply of each API. */
export const SCRIPTED_REPLIES: Readonly<Record<ApiName, (turn: TurnScript) => Reply>> = {
  "openai responses": responsesReply,
  "openai chat": chatReply,
  anthropic: anthropicReply,
  "openai-compatible": chatReply,
};

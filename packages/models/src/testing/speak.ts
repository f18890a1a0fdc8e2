import type { TurnScript } from "@tacklebox/core/testing";
import { speakAnthropic } from "./speak-anthropic.ts";
import { speakChat } from "./speak-chat.ts";
import { speakResponses } from "./speak-responses.ts";
import type { Spoken } from "./test-models.ts";
import type { Reply } from "./vendor-server.ts";

/** A turn in each of the languages. */
export const SPEAK: Readonly<Record<Spoken, (turn: TurnScript) => Reply>> = {
  "openai responses": speakResponses,
  "openai chat": speakChat,
  anthropic: speakAnthropic,
  "openai-compatible": speakChat,
};

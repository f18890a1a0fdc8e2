import { describeUnknownId, findSessionId } from "../engine/find-id.ts";
import { describeUnknownGpt } from "../output/json/gpt-json.ts";
import type { ChatOptions } from "./chat-options.ts";
import type { ConversationSettings } from "./conversation-settings.ts";
import type { ChatState } from "./slash/slash-commands.ts";

/** The settings to start with, and the end of a resumed conversation to show. */
export interface OpenedConversation extends ConversationSettings {
  readonly shown?: string;
}

/** Opens what the command line asks for, or returns a message when there is no such GPT, model or session. */
export async function openConversation(
  { gpt, model, session, approve }: ChatOptions,
  state: Omit<ChatState, "settings">,
): Promise<OpenedConversation | string> {
  const { engine } = state;
  if (gpt !== undefined && !(await engine.gpts.list()).some(({ key }) => key === gpt)) return describeUnknownGpt(gpt);
  if (model !== undefined && !(await engine.models.list()).some(({ name }) => name === model))
    return `There is no model '${model}'. \`tacklebox model list\` shows them all.`;
  const settings: ConversationSettings = { gpt, model, sessionId: undefined, approve };
  if (session === undefined) return settings;
  const { resumeSession } = await import("./slash/slash-choices.ts");
  const found = await findSessionId(session, engine);
  if (found.kind === "refused") return found.message;
  const shown = await resumeSession(found.id, { ...state, settings });
  if (shown === undefined) return describeUnknownId("session", session, "tacklebox sessions list");
  return Object.assign(settings, { gpt: gpt ?? settings.gpt, shown });
}

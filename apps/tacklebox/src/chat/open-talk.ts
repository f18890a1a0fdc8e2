import { describeUnknownGpt } from "../output/gpt-json.ts";
import type { ChatOptions } from "./chat-options.ts";
import type { ChatState } from "./slash-commands.ts";
import type { ConversationSettings } from "./talk.ts";

/** A conversation to go on with, and what to show of it. */
export interface OpenedConversation extends ConversationSettings {
  readonly shown?: string;
}

/** What the command line asks for, or why there is no such thing. */
export async function openTalk(
  { gpt, model, session, approve }: ChatOptions,
  room: Omit<ChatState, "talk">,
): Promise<OpenedConversation | string> {
  const { engine } = room;
  if (gpt !== undefined && !(await engine.gpts.list()).some(({ key }) => key === gpt)) return describeUnknownGpt(gpt);
  if (model !== undefined && !(await engine.models.list()).some(({ name }) => name === model))
    return `There is no model '${model}'. \`tacklebox model list\` shows all.`;
  const talk: ConversationSettings = { gpt, model, sessionId: undefined, approve };
  if (session === undefined) return talk;
  const { resumeSession } = await import("./slash-choices.ts");
  const shown = await resumeSession(session, { ...room, talk });
  if (shown === undefined) return `There is no session '${session}'. \`tacklebox sessions list\` shows all.`;
  return Object.assign(talk, { gpt: gpt ?? talk.gpt, shown });
}

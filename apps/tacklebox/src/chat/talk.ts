import type { ApprovalMode, Caller, RunRequest, ToolChoice } from "@tacklebox/core";

/** What the conversation is about at the moment; slash commands change it. */
export interface ConversationSettings {
  gpt: string | undefined;
  model: string | undefined;
  /** Absent until the first prompt begins one. */
  sessionId: string | undefined;
  /** What was put in or taken out before there was a session to keep it. */
  tools?: Readonly<Record<string, ToolChoice>> | undefined;
  /** What the command line said. */
  readonly approve: ApprovalMode | undefined;
}

/** Somebody sits here, so they are asked, unless the command line or the GPT says otherwise. */
const DOOR_MODE: ApprovalMode = "always-ask";

/** Kept with every call that is made in a chat. */
export const CALLER: Caller = { door: "chat" };

export function toRunRequest(
  { gpt, model, sessionId, tools, approve }: ConversationSettings,
  prompt: string,
): RunRequest {
  const approvalMode = approve ?? (gpt === undefined ? DOOR_MODE : undefined);
  return {
    prompt: [{ type: "text", text: prompt }],
    ...(gpt !== undefined && { gpt }),
    ...(model !== undefined && { model }),
    ...(sessionId === undefined ? tools !== undefined && { tools } : { sessionId }),
    ...(approvalMode !== undefined && { approvalMode }),
  };
}

import type { ApprovalMode, Caller, RunRequest, ToolChoice } from "@tacklebox/core";

/** The current settings of the conversation. Slash commands change them. */
export interface ConversationSettings {
  gpt: string | undefined;
  model: string | undefined;
  /** Undefined until the first prompt creates a session. */
  sessionId: string | undefined;
  /** Tools added or removed before there was a session to store the choice. */
  tools?: Readonly<Record<string, ToolChoice>> | undefined;
  /** The mode given on the command line or chosen since. */
  approve: ApprovalMode | undefined;
}

/** A person is present, so they are asked unless they or the GPT say otherwise. */
export const DOOR_MODE: ApprovalMode = "always-ask";

/** The caller recorded with every call made in a chat. */
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

import type { JsonObject } from "../json/json.ts";
import type { Selection } from "./selection.ts";

/** One message of a conversation, in no vendor's language. Instructions are not a message: they go with each request. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly (TextPart | ThoughtPart | CallPart)[];
  /** On the first answer to a prompt: the tools it was asked with. Models know nothing of it. */
  readonly selection?: Selection;
}

/** Answers to every call of the assistant message before it, in its order: vendors refuse anything less (C1.6). */
export interface ToolMessage {
  readonly role: "tool";
  readonly results: readonly CallResultPart[];
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly vendor?: VendorMark;
}

export interface ImagePart {
  readonly type: "image";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export interface ThoughtPart {
  readonly type: "thought";
  readonly text: string;
  readonly vendor?: VendorMark;
}

/** The model asks for a tool by its shown name. */
export interface CallPart {
  readonly type: "call";
  /** The model's own id for the call; made unique in its conversation where the model repeats itself. */
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Set when the arguments were not a JSON object; `arguments` is then empty and the call is not made. */
  readonly unreadable?: string;
  /** The call record that was made for it. Models know nothing of it. */
  readonly callId?: string;
  readonly vendor?: VendorMark;
}

export interface CallResultPart {
  /** The model's id of the call this answers. */
  readonly id: string;
  readonly tool: string;
  /** What the model reads; cut when long, with a marker that says so. */
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly ImagePart[];
  /** The call record that holds the whole result. */
  readonly callId?: string;
}

/** What a vendor wants to see again in the next request, such as the signature of a thought. Opaque to everyone else. */
export type VendorMark = JsonObject;

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

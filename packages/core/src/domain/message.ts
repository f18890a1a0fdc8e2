import * as z from "zod/mini";
import { boolean, JsonObject, list, object, optional, string } from "../json/schema.ts";
import { Selection } from "./selection.ts";

/** Data that a vendor wants back in the next request, such as the signature of a thought. Opaque to everyone else. */
export const VendorMark = JsonObject;
export type VendorMark = JsonObject;

export const TextPart = object({
  type: z.literal("text"),
  text: string,
  vendor: optional(VendorMark),
});
export type TextPart = z.infer<typeof TextPart>;

export const ImagePart = object({
  type: z.literal("image"),
  mimeType: string,
  /** Base64. */
  data: string,
});
export type ImagePart = z.infer<typeof ImagePart>;

export const ThoughtPart = object({
  type: z.literal("thought"),
  text: string,
  vendor: optional(VendorMark),
});
export type ThoughtPart = z.infer<typeof ThoughtPart>;

/** A model's call of a tool, by its shown name. */
export const CallPart = object({
  type: z.literal("call"),
  /** The model's own id for the call; made unique in its session if the model repeats one. */
  id: string,
  tool: string,
  arguments: JsonObject,
  /** Set if the arguments were not a JSON object; `arguments` is then empty and the call is not made. */
  unreadable: optional(string),
  /** The id of the call's record. Not sent to models. */
  callId: optional(string),
  vendor: optional(VendorMark),
});
export type CallPart = z.infer<typeof CallPart>;

export const CallResultPart = object({
  /** The model's id for the call this answers. */
  id: string,
  tool: string,
  /** What the model reads; a long text is cut, with a marker that says so. */
  text: string,
  isError: boolean,
  images: optional(list(ImagePart)),
  /** The id of the call record that holds the whole result. */
  callId: optional(string),
});
export type CallResultPart = z.infer<typeof CallResultPart>;

/** A part of a person's message to a model. */
export const PromptPart = z.discriminatedUnion("type", [TextPart, ImagePart]);
export type PromptPart = z.infer<typeof PromptPart>;

export const UserMessage = object({
  role: z.literal("user"),
  parts: list(PromptPart),
});
export type UserMessage = z.infer<typeof UserMessage>;

export const AssistantMessage = object({
  role: z.literal("assistant"),
  parts: list(z.discriminatedUnion("type", [TextPart, ThoughtPart, CallPart])),
  /** Set on the first answer to a prompt: the tools that were sent with the prompt. Not sent to models. */
  selection: optional(Selection),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

/** Results for every call of the preceding assistant message, in the same order: vendors reject anything less. */
export const ToolMessage = object({
  role: z.literal("tool"),
  results: list(CallResultPart),
});
export type ToolMessage = z.infer<typeof ToolMessage>;

/** One message of a session, in a vendor-neutral format. Instructions are not a message: they go with each request. */
export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage, ToolMessage]);
export type Message = z.infer<typeof Message>;

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

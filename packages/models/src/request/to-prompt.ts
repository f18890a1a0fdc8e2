import type { LanguageModelV3Message, LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import type { AssistantMessage, CallResultPart, ImagePart, Message, UserMessage } from "@tacklebox/core";
import type { ApiStyle } from "../vendors/vendor.ts";
import { toSentImage } from "./to-images.ts";
import { fromMark, type PartMarks } from "./vendor-mark.ts";
import type { WireNames } from "./wire-names.ts";

export interface PromptOptions {
  readonly style: ApiStyle;
  readonly origin: string;
  readonly vision: boolean;
  readonly toolNames: WireNames;
  readonly callIds: WireNames;
}

type MessageOf<Role> = Extract<LanguageModelV3Message, { role: Role }>;
type AssistantPart = MessageOf<"assistant">["content"][number];
type UserPart = MessageOf<"user">["content"][number];

/** Converts the conversation to the model SDK's format, with every vendor mark back on the part it came with. */
export function toPrompt(messages: readonly Message[], options: PromptOptions): LanguageModelV3Message[] {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages.flatMap((message, index): LanguageModelV3Message[] => {
    if (message.role === "user") return [toUser(message, options)];
    if (message.role === "assistant") return toAssistant(message, index > lastUser, options);
    return toResults(message.results, options);
  });
}

function toUser({ parts }: UserMessage, { vision }: PromptOptions): MessageOf<"user"> {
  const content = parts.flatMap((part): UserPart[] => {
    if (part.type === "image") return [toUserImage(part, vision)];
    return isBlank(part.text) ? [] : [{ type: "text", text: part.text }];
  });
  // Vendors refuse an empty message.
  return { role: "user", content: content.length > 0 ? content : [{ type: "text", text: "(empty)" }] };
}

function toUserImage(image: ImagePart, vision: boolean): UserPart {
  const sent = toSentImage(image, vision);
  if (sent.kind === "placeholder") return { type: "text", text: sent.text };
  return { type: "file", data: sent.image.data, mediaType: sent.image.mimeType };
}

function toAssistant(
  message: AssistantMessage,
  isThisRound: boolean,
  options: PromptOptions,
): LanguageModelV3Message[] {
  const content = message.parts.flatMap((part): AssistantPart[] => {
    const marked = toProviderOptions(fromMark(part.vendor, options.origin), options.style);
    if (part.type === "text") return isBlank(part.text) ? [] : [{ type: "text", text: part.text, ...marked }];
    if (part.type === "call") {
      const toolCallId = options.callIds.toWire(part.id);
      const toolName = options.toolNames.toWire(part.tool);
      return [{ type: "tool-call", toolCallId, toolName, input: part.arguments, ...marked }];
    }
    if (!isThoughtWanted(part.text, "providerOptions" in marked, isThisRound, options.style)) return [];
    return [{ type: "reasoning", text: part.text, ...marked }];
  });
  // Vendors refuse the whole conversation if a turn ends with a thought, as one that was cut short does.
  const kept = content.slice(0, content.findLastIndex(({ type }) => type !== "reasoning") + 1);
  return kept.length === 0 ? [] : [{ role: "assistant", content: kept }];
}

function isThoughtWanted(text: string, isMarked: boolean, isThisRound: boolean, { thoughts }: ApiStyle): boolean {
  if (thoughts === "none") return false;
  return thoughts === "signed" ? isMarked : isThisRound && text !== "";
}

function toProviderOptions(marks: PartMarks | undefined, style: ApiStyle): { providerOptions?: PartMarks } {
  if (marks === undefined) return {};
  return { providerOptions: style.toSentMarks?.(marks) ?? marks };
}

function toResults(results: readonly CallResultPart[], options: PromptOptions): LanguageModelV3Message[] {
  if (results.length === 0) return [];
  const content = results.map((result) => toResult(result, options));
  const answers: LanguageModelV3Message = { role: "tool", content };
  const shown =
    options.style.resultImages === "inside" ? [] : results.flatMap((result) => imagesAfter(result, options));
  return shown.length === 0 ? [answers] : [answers, { role: "user", content: shown }];
}

function toResult(result: CallResultPart, options: PromptOptions): LanguageModelV3ToolResultPart {
  const sent = (result.images ?? []).map((image) => toSentImage(image, options.vision));
  const placeholders = sent.flatMap((image) => (image.kind === "placeholder" ? [image.text] : []));
  const images = sent.flatMap((image) => (image.kind === "image" ? [image.image] : []));
  const inside = options.style.resultImages === "inside" ? images : [];
  const note = images.length > inside.length ? [`[${images.length} image(s) from this result follow]`] : [];
  const text = [result.text, ...placeholders, ...note].filter((line) => line !== "").join("\n");
  const toolCallId = options.callIds.toWire(result.id);
  const toolName = options.toolNames.toWire(result.tool);
  return { type: "tool-result", toolCallId, toolName, output: toOutput(text, result.isError, inside) };
}

function toOutput(
  text: string,
  isError: boolean,
  images: readonly ImagePart[],
): LanguageModelV3ToolResultPart["output"] {
  if (images.length === 0) return { type: isError ? "error-text" : "text", value: text };
  const pictures = images.map(({ data, mimeType }) => ({ type: "image-data" as const, data, mediaType: mimeType }));
  // This output type has no error flag, so the text says that the call failed.
  const lines = isError ? ["The call failed.", text] : [text];
  const texts = lines.filter((line) => line !== "").map((line) => ({ type: "text" as const, text: line }));
  return { type: "content", value: [...texts, ...pictures] };
}

function imagesAfter({ tool, images = [] }: CallResultPart, { vision }: PromptOptions): UserPart[] {
  const seen = images.filter((image) => toSentImage(image, vision).kind === "image");
  if (seen.length === 0) return [];
  return [
    { type: "text", text: `Images returned by the tool ${tool}:` },
    ...seen.map((image) => toUserImage(image, vision)),
  ];
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

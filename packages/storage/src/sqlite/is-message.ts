import {
  type AssistantMessage,
  type CallPart,
  type CallResultPart,
  type ImagePart,
  isJsonObject,
  type Message,
  type SelectedTool,
  type Selection,
  type TextPart,
  type ThoughtPart,
} from "@tacklebox/core";
import { isListOf, isOptional, isText } from "./stored-value.ts";

/** Whether a value read from the file has the shape of a message. Fields it does not know are none of its business. */
export function isMessage(value: unknown): value is Message {
  if (!isJsonObject(value)) return false;
  switch (value.role) {
    case "user":
      return isListOf(value.parts, isUserPart);
    case "assistant":
      return isListOf(value.parts, isAssistantPart) && isOptional(value.selection, isSelection);
    case "tool":
      return isListOf(value.results, isResult);
    default:
      return false;
  }
}

function isUserPart(value: unknown): value is TextPart | ImagePart {
  return isImage(value) || (isWords(value) && value.type === "text");
}

function isAssistantPart(value: unknown): value is AssistantMessage["parts"][number] {
  return isWords(value) || isCall(value);
}

function isSelection(value: unknown): value is Selection {
  return (
    isJsonObject(value) &&
    isListOf(value.tools, isSelectedTool) &&
    isNumber(value.left) &&
    isNumber(value.demoted) &&
    isNumber(value.capped)
  );
}

function isSelectedTool(value: unknown): value is SelectedTool {
  return (
    isJsonObject(value) &&
    isText(value.name) &&
    isText(value.server) &&
    (value.mode === "always" || value.mode === "manual" || value.mode === "agent") &&
    isOptional(value.score, isNumber)
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isWords(value: unknown): value is TextPart | ThoughtPart {
  return (
    isJsonObject(value) &&
    (value.type === "text" || value.type === "thought") &&
    isText(value.text) &&
    isOptional(value.vendor, isJsonObject)
  );
}

function isImage(value: unknown): value is ImagePart {
  return isJsonObject(value) && value.type === "image" && isText(value.mimeType) && isText(value.data);
}

function isCall(value: unknown): value is CallPart {
  return (
    isJsonObject(value) &&
    value.type === "call" &&
    isText(value.id) &&
    isText(value.tool) &&
    isJsonObject(value.arguments) &&
    isOptional(value.unreadable, isText) &&
    isOptional(value.callId, isText) &&
    isOptional(value.vendor, isJsonObject)
  );
}

function isResult(value: unknown): value is CallResultPart {
  return (
    isJsonObject(value) &&
    isText(value.id) &&
    isText(value.tool) &&
    isText(value.text) &&
    typeof value.isError === "boolean" &&
    (value.images === undefined || isListOf(value.images, isImage)) &&
    isOptional(value.callId, isText)
  );
}

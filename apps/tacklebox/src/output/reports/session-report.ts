import type { Conversation, Message, Session, SessionMessage } from "@tacklebox/core";
import type { Paint } from "../colour.ts";
import type { SessionJson, SessionMessageJson } from "../json/manage-shapes.ts";
import { printableLine, printableText } from "../printable.ts";

export function toSessionJson({ id, title, gpt, model, tools, createdAt, updatedAt }: Session): SessionJson {
  return {
    id,
    title,
    ...(gpt === undefined ? {} : { gpt }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

export function toMessageJson({ number, at, message }: SessionMessage): SessionMessageJson {
  const shared = { number, at, role: message.role, text: textOf(message) };
  if (message.role === "tool") {
    const results = message.results.map(({ callId = null, tool, isError, text }) => ({
      call_id: callId,
      tool,
      is_error: isError,
      text,
    }));
    return { ...shared, results };
  }
  if (message.role === "user") return shared;
  const calls = message.parts.flatMap((part) =>
    part.type === "call" ? [{ call_id: part.callId ?? null, tool: part.tool, arguments: part.arguments }] : [],
  );
  return {
    ...shared,
    ...(calls.length > 0 && { calls }),
    ...(message.selection !== undefined && { selection: message.selection }),
  };
}

/** Formats a conversation: the person's messages after `>`, calls and their results indented. */
export function formatConversation({ session, messages }: Conversation, paint: Paint): string {
  const { id, title, model = "-", gpt = "-", updatedAt } = session;
  const head = [
    paint(printableLine(title), "bold"),
    printableLine(`session ${id}, model ${model}, GPT ${gpt}, last used ${updatedAt}`),
  ];
  return `${[...head, ...messages.map(({ message }) => formatMessage(message, paint))].join("\n\n")}\n`.replace(
    "\n\n",
    "\n",
  );
}

function formatMessage(message: Message, paint: Paint): string {
  if (message.role === "tool") {
    const results = message.results.map(({ tool, text, isError }) =>
      indent(`${tool} ${isError ? "failed" : "answered"}:\n${text}`),
    );
    return results.map((text) => paint(text, "dim")).join("\n");
  }
  const text = printableText(textOf(message));
  if (message.role === "user") return text.replace(/^/gm, "> ");
  const calls = message.parts.flatMap((part) =>
    part.type === "call" ? [paint(indent(`${part.tool} ${JSON.stringify(part.arguments)}`), "dim")] : [],
  );
  return [...(text === "" ? [] : [text]), ...calls].join("\n");
}

function indent(text: string): string {
  return printableText(text).replace(/^/gm, "    ");
}

function textOf(message: Message): string {
  if (message.role === "tool") return "";
  return message.parts
    .map((part) => (part.type === "text" ? part.text : part.type === "image" ? "[image]" : ""))
    .join("");
}

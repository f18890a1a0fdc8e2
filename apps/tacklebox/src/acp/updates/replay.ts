import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { CallResultPart, Conversation, Message } from "@tacklebox/core";
import { toText } from "./tool-content.ts";
import { toToolKind } from "./tool-kind.ts";
import { toLocations } from "./tool-locations.ts";

/** Yields the updates of a stored conversation, as they were sent while it happened. */
export function* replayUpdates({ messages }: Conversation, cwd: string): Generator<SessionUpdate> {
  const results = new Map(
    messages.flatMap(({ message, number }) =>
      message.role === "tool" ? message.results.map((result) => [keyOf(number - 1, result.id), result] as const) : [],
    ),
  );
  for (const { message, number } of messages) {
    yield* updatesOf(message, (id) => results.get(keyOf(number, id)), `${number}`, cwd);
  }
}

/** Call ids are unique only within a turn; their results are in the message that follows. */
function keyOf(number: number, id: string): string {
  return `${number}:${id}`;
}

function* updatesOf(
  message: Message,
  resultOf: (id: string) => CallResultPart | undefined,
  prefix: string,
  cwd: string,
): Generator<SessionUpdate> {
  if (message.role === "user") {
    for (const part of message.parts) yield { sessionUpdate: "user_message_chunk", content: part };
  }
  if (message.role !== "assistant") return;
  for (const part of message.parts) {
    if (part.type === "text") yield chunk("agent_message_chunk", part.text);
    if (part.type === "thought" && part.text !== "") yield chunk("agent_thought_chunk", part.text);
    if (part.type !== "call") continue;
    const result = resultOf(part.id);
    yield {
      sessionUpdate: "tool_call",
      toolCallId: part.callId ?? `${prefix}-${part.id}`,
      title: part.tool,
      name: part.tool,
      kind: toToolKind(part.tool, undefined),
      status: result === undefined || result.isError ? "failed" : "completed",
      rawInput: part.arguments,
      locations: toLocations(part.arguments, cwd),
      ...(result !== undefined && { content: [toText(result.text)] }),
    };
  }
}

function chunk(kind: "agent_message_chunk" | "agent_thought_chunk", text: string): SessionUpdate {
  return { sessionUpdate: kind, content: { type: "text", text } };
}

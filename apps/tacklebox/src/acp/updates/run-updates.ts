import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { ApprovalRequest, CallSummary, Progress, RegisteredTool, RunEvent } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { toolClaims } from "../../output/tool-claims.ts";
import { toText, toToolOutput } from "./tool-content.ts";
import { toToolKind } from "./tool-kind.ts";
import { toLocations } from "./tool-locations.ts";

/** The tool that a call names, if there is one, and the session's folder. */
export interface CallUpdateContext {
  readonly tool: RegisteredTool | undefined;
  readonly cwd: string;
}

export function toToolCall(
  { id, shownName, server, arguments: args }: CallSummary,
  context: CallUpdateContext,
): SessionUpdate {
  return {
    sessionUpdate: "tool_call",
    toolCallId: id,
    title: titleOf(context.tool?.tool.title ?? shownName, server),
    name: shownName,
    kind: toToolKind(context.tool?.ref.name ?? shownName, context.tool?.tool),
    status: "pending",
    rawInput: args,
    locations: toLocations(args, context.cwd),
  };
}

/** Converts an event about a call to an update. Undefined for events that editors do not show. */
export function toCallUpdate(event: RunEvent): SessionUpdate | undefined {
  if (event.type === "call-changed" && event.call.status === "running")
    return { sessionUpdate: "tool_call_update", toolCallId: event.call.id, status: "in_progress" };
  if (event.type === "call-progressed") {
    const content = [toText(progressText(event.progress))];
    return { sessionUpdate: "tool_call_update", toolCallId: event.callId, content };
  }
  if (event.type !== "call-result") return undefined;
  const status = event.outcome.status === "success" ? "completed" : "failed";
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: event.callId,
    status,
    ...toToolOutput(event.outcome, event.text),
  };
}

/** Describes a call for approval: its tool and server, the exact arguments, what the server claims, and why one is asked. */
export function toAskedCall(request: ApprovalRequest, context: CallUpdateContext): ToolCallUpdate {
  const { callId, tool, shownName, arguments: args, reason, changedFrom, definition } = request;
  const changed = changedFrom === undefined ? "" : `\n\n${changeText(changedFrom, definition)}`;
  const text = `${reason}\n\n${toolClaims(definition).text}\n\n\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\`${changed}`;
  return {
    toolCallId: callId,
    title: titleOf(context.tool?.tool.title ?? shownName, tool.server),
    name: shownName,
    kind: toToolKind(tool.name, context.tool?.tool),
    status: "pending",
    rawInput: args,
    locations: toLocations(args, context.cwd),
    content: [toText(text)],
  };
}

/** Leaves the server out when it is empty, which means that there is no such tool. */
function titleOf(tool: string, server: string): string {
  return printableLine(server === "" ? tool : `${tool} (${server})`);
}

function changeText(before: object, after: object): string {
  return `Its definition changed. Before:\n\n\`\`\`json\n${JSON.stringify(before, null, 2)}\n\`\`\`\n\nNow:\n\n\`\`\`json\n${JSON.stringify(after, null, 2)}\n\`\`\``;
}

function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined || total <= 0 ? String(progress) : `${Math.round((progress / total) * 100)} %`;
  return message === undefined ? share : `${share} ${message}`;
}

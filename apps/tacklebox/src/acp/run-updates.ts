import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { ApprovalRequest, CallSummary, Progress, RegisteredTool, RunEvent } from "@tacklebox/core";
import { printableLine } from "../output/printable.ts";
import { toText, toToolOutput } from "./tool-content.ts";
import { toToolKind } from "./tool-kind.ts";
import { toLocations } from "./tool-locations.ts";

/** What is known of a tool that a call names; nothing when there is no such tool. */
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

/** What becomes of a call; undefined for events that are not about one, or that say nothing to people. */
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

/** The call as the person is asked about it: which tool of which server, with exactly which arguments, and why they are asked. */
export function toAskedCall(request: ApprovalRequest, context: CallUpdateContext): ToolCallUpdate {
  const { callId, tool, shownName, arguments: args, reason, changedFrom, definition } = request;
  const changed = changedFrom === undefined ? "" : `\n\n${changeText(changedFrom, definition)}`;
  const text = `${reason}\n\n\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\`${changed}`;
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

/** No server is named where there is no such tool. */
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

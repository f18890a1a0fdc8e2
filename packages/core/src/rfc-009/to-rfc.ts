import type { CallRecord } from "../domain/call.ts";
import type { CallSummary } from "../domain/events.ts";
import type { ResourceContent } from "../domain/offer.ts";
import type { ServerOffers } from "../domain/server-view.ts";
import type { RegisteredTool } from "../domain/tool.ts";
import { errorText } from "./client-error.ts";
import {
  type MCPResource,
  type MCPServerCapabilities,
  MCPServerCapabilitiesSchema,
  type MCPTool,
  MCPToolCallSchema,
  MCPToolSchema,
} from "./schemas.ts";

/** Uses the shown name if RFC-009 does not allow the tool's own name (S1.8); calls accept both. */
export function toTool({ ref, shownName, tool }: RegisteredTool): MCPTool {
  const named = (name: string) => ({
    name,
    ...(tool.description !== "" && { description: tool.description }),
    inputSchema: tool.inputSchema,
  });
  const raw = MCPToolSchema.safeParse(named(ref.name));
  return raw.success ? raw.data : MCPToolSchema.parse(named(shownName));
}

export function toResource({ uri, name, description, mimeType }: ServerOffers["resources"][number]): MCPResource {
  return { uri, name, ...(description !== undefined && { description }), ...(mimeType !== undefined && { mimeType }) };
}

export function toCapabilities(tools: readonly MCPTool[], offers: ServerOffers | undefined): MCPServerCapabilities {
  return MCPServerCapabilitiesSchema.parse({
    tools,
    resources: offers?.resources.map(toResource),
    prompts: offers?.prompts.map((prompt) => ({
      name: prompt.name,
      description: prompt.description,
      arguments: prompt.arguments,
    })),
  });
}

/** Calls of unknown tools belong to no server and have an empty scope; they count as the app's. */
export function isOfApp(scope: string): boolean {
  return scope === "app" || scope === "";
}

/** Returns undefined for calls of servers that are not the app's. */
export function toToolCall({ scope, server, error, ...call }: CallSummary, result: CallRecord["result"]) {
  if (!isOfApp(scope)) return undefined;
  const { data } = MCPToolCallSchema.safeParse({
    ...call,
    serverId: server,
    ...(result !== undefined && { result: result.content }),
    ...(error !== undefined && { error: errorText(call.ending, error) }),
  });
  return data;
}

/** RFC-009 returns one text (S1.19): parts are joined with line breaks, and bytes stay in base64. */
export function toResourceText(parts: readonly ResourceContent[]): { content: string; mimeType?: string } {
  const mimeType = parts.find((part) => part.mimeType !== undefined)?.mimeType;
  const content = parts.map((part) => (part.kind === "text" ? part.text : part.base64)).join("\n");
  return { content, ...(mimeType !== undefined && { mimeType }) };
}

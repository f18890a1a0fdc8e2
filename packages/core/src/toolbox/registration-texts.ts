import { formatDuration } from "../config/entries/parse-duration.ts";
import type { ToolLimits } from "../domain/limits.ts";
import { type ServerDefinition, serverAddress } from "../domain/server.ts";
import type { ToolboxSettings } from "../domain/tool.ts";

/** Texts that the requirements fix word for word, because operators may search for them (S4.11, S4.17 to S4.26). */

type Configured = Pick<ToolboxSettings, "tools" | "writtenAs">;

export function strictViolationText(tool: string, server: string, settings: Configured): string {
  return `Tool '${tool}' from MCP server '${server}' is not configured in the toolbox.

MCP Server: ${server}
Mode: strict
Missing Tool: ${tool}

Configured tools: [${namesIn(settings)}]

To resolve:
1. Add the tool to ${settings.writtenAs}.tools in your configuration, OR
2. Change the MCP server mode to 'dynamic' and provide default_tool_config`;
}

export function localUnconfiguredText(tool: string, settings: Configured): string {
  return `Tool '${tool}' (local tool) is not configured in the toolbox.

Local tools must always be explicitly configured in ${settings.writtenAs}.tools.

Configured tools: [${namesIn(settings)}]`;
}

function namesIn({ tools }: Configured): string {
  return tools.map(({ name }) => name).join(", ");
}

export function noToolsText(definition: ServerDefinition): string {
  return `MCP server '${definition.name}' at ${serverAddress(definition)} returned no tools`;
}

export function usesDefaultsText(tool: string, server: string): string {
  return `Tool '${tool}' from MCP '${server}' not explicitly configured, using default configuration`;
}

export function newToolText(tool: string, server: string): string {
  return `New tool '${tool}' discovered from MCP server '${server}', registering with default configuration`;
}

export function goneToolText(tool: string, server: string): string {
  return `Tool '${tool}' was configured but is no longer available from MCP server '${server}'`;
}

export function notProvidedText(tool: string): string {
  return `Tool '${tool}' is configured but no server or local tool provides it`;
}

export function explicitText(tool: string, limits: ToolLimits): string {
  return `Tool '${tool}' registered with explicit configuration: ${limitsText(limits)}`;
}

export function mergedText(
  tool: string,
  explicit: Partial<ToolLimits>,
  defaults: Partial<ToolLimits>,
  final: ToolLimits,
): string {
  return `Tool '${tool}' configuration merged: explicit=${limitsText(explicit)}, default=${limitsText(defaults)}, final=${limitsText(final)}`;
}

function limitsText({ maxInstances, timeoutMs }: Partial<ToolLimits>): string {
  const fields = [
    ...(maxInstances === undefined ? [] : [`max_instances: ${maxInstances}`]),
    ...(timeoutMs === undefined ? [] : [`timeout: ${formatDuration(timeoutMs)}`]),
  ];
  return `{${fields.join(", ")}}`;
}

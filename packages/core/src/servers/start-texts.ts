import { type ServerDefinition, serverAddress } from "../domain/server.ts";

export function cannotConnectText(definition: ServerDefinition, detail: string): string {
  return `Failed to connect to MCP server '${definition.name}' at ${serverAddress(definition)}
Error: ${detail}

The application cannot start without connecting to all configured MCP servers.`;
}

export function cannotJoinText(definition: ServerDefinition, detail: string): string {
  return `mcp: server '${definition.name}' failed to connect: ${detail}`;
}

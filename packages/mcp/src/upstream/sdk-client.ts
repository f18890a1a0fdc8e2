import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import { type Era, isJsonObject, type JsonObject, type OpenOptions, type ServerInfo } from "@tacklebox/core";
import type { StrikeOut } from "./strike-out.ts";

/** How we introduce ourselves to servers. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

export const MODERN_VERSION = "2026-07-28";

/** Our own clocks bound every request; the SDK's must never fire first. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** An SDK client for negotiating and server messages. It declares no capabilities: nobody answers for it. */
export function createSdkClient(
  clientInfo: ClientInfo,
  versionNegotiation: VersionNegotiationOptions,
  options: OpenOptions,
  strikeOut: StrikeOut,
): Client {
  const client = new Client(
    { ...clientInfo },
    {
      capabilities: {},
      versionNegotiation,
      // Results are checked by the engine's Validator; the SDK's own would cost an engine per connection.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not used" }) },
    },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged());
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const line = typeof params.data === "string" ? params.data : JSON.stringify(params.data ?? null);
    options.onServerLog?.(strikeOut(line));
  });
  return client;
}

export function eraOf(client: Client): Era {
  return client.getProtocolEra() === "modern" ? "modern" : "legacy";
}

export function describeServer(client: Client, transport: ServerInfo["transport"], fallbackName: string): ServerInfo {
  const server = client.getServerVersion();
  const capabilities: unknown = client.getServerCapabilities();
  const instructions = client.getInstructions();
  return {
    name: server?.name ?? fallbackName,
    version: server?.version ?? "",
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    era: eraOf(client),
    transport,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** What every message to a modern server carries, the same as the SDK puts on its own. */
export function envelopeOf(client: Client, { name, version }: ClientInfo): JsonObject | undefined {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (protocolVersion === undefined || client.getProtocolEra() !== "modern") return undefined;
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: { name, version },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}

/** A message fit for the SDK, or nothing when it is not JSON-RPC. */
export function toSdkMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import { type Era, isJsonObject, type JsonObject, type OpenOptions, type ServerInfo } from "@tacklebox/core";
import type { RedactServerText } from "./redact-server-text.ts";
import type { ServerQuestions } from "./server-questions.ts";

/** The name and version we send to servers. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

export const MODERN_VERSION = "2026-07-28";

/** Effectively disables the SDK's timeouts: we set our own on every request, and the SDK's must never fire first. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface SdkClientDeps {
  readonly clientInfo: ClientInfo;
  readonly options: OpenOptions;
  readonly questions: ServerQuestions;
  readonly redact: RedactServerText;
}

/**
 * Creates an SDK client for negotiation and server messages. It declares only the capabilities `questions` can answer.
 */
export function createSdkClient(
  { clientInfo, options, questions, redact }: SdkClientDeps,
  versionNegotiation: VersionNegotiationOptions,
): Client {
  const client = new Client(
    { ...clientInfo },
    {
      capabilities: questions.capabilities,
      versionNegotiation,
      // Core validates results; the SDK's validator would cost one schema compiler per connection.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not used" }) },
    },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged());
  client.setNotificationHandler("notifications/resources/list_changed", () => options.onOffersChanged?.("resources"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => options.onOffersChanged?.("prompts"));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    options.onResourceUpdated?.(params.uri),
  );
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const line = typeof params.data === "string" ? params.data : JSON.stringify(params.data ?? null);
    options.onServerLog?.(redact(line));
  });
  client.onerror = (error) => {
    if (error instanceof SyntaxError) options.onOddity?.("unreadable");
  };
  // Not setRequestHandler: it rejects requests for undeclared capabilities, which we want to decline instead.
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const given: unknown = params;
    const answer = await questions.answer(method, isJsonObject(given) ? given : {}, mcpReq.signal);
    if (answer.kind !== "unknown") return { ...answer.result };
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  };
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

/** The `_meta` of every message to a modern server, the same as the SDK puts on its own messages. */
export function envelopeOf(client: Client, { clientInfo, questions }: SdkClientDeps): JsonObject | undefined {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (protocolVersion === undefined || client.getProtocolEra() !== "modern") return undefined;
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: { name: clientInfo.name, version: clientInfo.version },
    [CLIENT_CAPABILITIES_META_KEY]: questions.capabilities,
  };
}

/** Returns the value as an SDK message; undefined if it is not JSON-RPC. */
export function toSdkMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

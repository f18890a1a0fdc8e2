import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ConnectionError, textNestsDeeper } from "@tacklebox/core";
import { MAX_MESSAGE_BYTES } from "../message-size.ts";
import { MAX_MESSAGE_DEPTH } from "./parse-message.ts";

/** Why a message must not be sent; undefined if it may be. The limits are those of what servers may send. */
export function outgoingProblem(text: string): ConnectionError | undefined {
  if (text.length > MAX_MESSAGE_BYTES)
    return unsent(`The request is larger than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB; it was not sent.`);
  return textNestsDeeper(text, MAX_MESSAGE_DEPTH) ? tooDeepToSend() : undefined;
}

/** Serializes a request or returns why it cannot be sent. */
export function boundedText(serialize: () => string): string | ConnectionError {
  try {
    const text = serialize();
    return outgoingProblem(text) ?? text;
  } catch (error) {
    // Serializing recurses, so this is how values fail that are nested thousands of levels deep.
    if (error instanceof RangeError) return tooDeepToSend();
    throw error;
  }
}

/**
 * Serializes one of the SDK's messages. An answer over the limits becomes an error answer, because the server waits
 * for one; throws ConnectionError for anything else over them.
 */
export function sdkText(message: JSONRPCMessage): string {
  const text = boundedText(() => JSON.stringify(message));
  if (typeof text === "string") return text;
  const instead = errorInstead(message);
  if (instead === undefined) throw text;
  return JSON.stringify(instead);
}

/** The message itself, or the error answer that takes its place. Throws like `sdkText`. */
export function boundedSdkMessage(message: JSONRPCMessage): JSONRPCMessage {
  const text = boundedText(() => JSON.stringify(message));
  if (typeof text === "string") return message;
  const instead = errorInstead(message);
  if (instead === undefined) throw text;
  return instead;
}

function errorInstead(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!("id" in message) || message.id === undefined || "method" in message) return undefined;
  const error = { code: INTERNAL_ERROR, message: "The answer is too large or nested too deeply to be sent" };
  return { jsonrpc: "2.0", id: message.id, error };
}

const INTERNAL_ERROR = -32603;

function tooDeepToSend(): ConnectionError {
  return unsent(`The request is nested more than ${MAX_MESSAGE_DEPTH} levels deep; it was not sent.`);
}

function unsent(text: string): ConnectionError {
  return new ConnectionError("oversize", text, { unsent: true });
}

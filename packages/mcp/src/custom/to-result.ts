import { type ContentBlock, isJsonObject, type ToolResult, textNestsDeeper } from "@tacklebox/core";
import { addressOf, type HttpReply, readBytes, readErrorBody } from "../upstream/http/http-exchange.ts";
import { MAX_MESSAGE_DEPTH, parseJson, tooDeep } from "../upstream/protocol/limits/parse-message.ts";
import { MAX_MESSAGE_BYTES } from "../upstream/protocol/message-size.ts";
import type { RedactServerText } from "../upstream/protocol/redact-server-text.ts";
import { refusalText } from "../upstream/protocol/refusal.ts";
import type { Seat } from "../upstream/protocol/room/message-room.ts";

/** Converts a 2xx reply into a tool result. The caller has to leave the seat. */
export async function toResult(reply: HttpReply, url: string, seat: Seat): Promise<ToolResult> {
  const type = mediaType(reply);
  const bytes = await readBytes(reply.body, MAX_MESSAGE_BYTES, seat);
  if (!isText(type)) return { content: [toBinaryBlock(type, bytes, url)], isError: false };
  const text = new TextDecoder().decode(bytes);
  const content = [{ type: "text", text }];
  if (isJson(type) && textNestsDeeper(text, MAX_MESSAGE_DEPTH)) throw tooDeep();
  const value = isJson(type) ? parseJson(text) : undefined;
  return isJsonObject(value) ? { content, structuredContent: value, isError: false } : { content, isError: false };
}

const SHOWN_CHARACTERS = 2048;
/** More than is shown, because secrets are redacted before the text is cut: a secret cut in half would not be found. */
const READ_BYTES = 4 * SHOWN_CHARACTERS;

/** Converts a non-2xx reply about this call into a failed result, so that the model can correct its arguments. */
export async function toFailedResult(reply: HttpReply, redact: RedactServerText): Promise<ToolResult> {
  const { status, statusText } = reply;
  const body = redact(await readErrorBody(reply.body, READ_BYTES)).trim();
  const shown = body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}…` : body;
  const head = refusalText({ status, statusText, retryAfter: null });
  const advice = status >= 300 && status < 400 ? [REDIRECT_ADVICE] : [];
  const text = [redact(head), ...advice, ...(shown === "" ? [] : [shown])].join("\n");
  return { content: [{ type: "text", text }], isError: true };
}

const REDIRECT_ADVICE =
  "The endpoint redirects to an address that is not followed: another host, or a redirect that drops the arguments. Configure the final address.";

/** The type of a reply without `content-type`; treated as JSON, since many endpoints return JSON without saying so. */
const NO_TYPE = "";

function mediaType({ headers }: HttpReply): string {
  return (headers.get("content-type") ?? NO_TYPE).split(";", 1)[0]?.trim().toLowerCase() ?? NO_TYPE;
}

function isJson(type: string): boolean {
  return type === NO_TYPE || type === "application/json" || type.endsWith("+json");
}

function isText(type: string): boolean {
  if (isJson(type) || type.startsWith("text/")) return true;
  return /^application\/(.*\+)?(xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded)$/.test(type);
}

function toBinaryBlock(mimeType: string, bytes: Uint8Array, url: string): ContentBlock {
  if (bytes.byteLength === 0) return { type: "text", text: "" };
  const data = toBase64(bytes);
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: addressOf(url), mimeType, blob: data } };
}

/** Converted in pieces: a photo's bytes passed as arguments of one call would overflow the stack. */
const PIECE_BYTES = 8 * 1024;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES));
  return btoa(binary);
}

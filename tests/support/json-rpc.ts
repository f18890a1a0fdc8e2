import { z } from "zod";
import { until } from "./processes.ts";
import type { RunningProcess } from "./running-process.ts";

/** A JSON-RPC message as received; tests assert on the whole of it. */
export interface Message {
  readonly [key: string]: unknown;
}

/** Raw JSON-RPC in lines with a process on stdio, without an SDK in between that could repair or hide anything. */
export interface LineConversation {
  /** Sends a request and returns its id without waiting. */
  send(method: string, params?: Message): number;
  notify(method: string, params?: Message): void;
  /** The whole reply to a request. */
  reply(id: number): Promise<Message>;
  /** Sends a request and waits for its reply. */
  request(method: string, params?: Message): Promise<Message>;
  /** Everything received so far, in order. */
  received(): readonly Message[];
  /** The first message that fits, which may already have arrived. */
  waitFor(fits: (message: Message) => boolean, describe: string): Promise<Message>;
}

export function converse(server: RunningProcess): LineConversation {
  let sent = 0;
  const received = () => server.stdout().split("\n").slice(0, -1).map(parseMessage);
  const write = (message: Message) => server.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const waitFor = (fits: (message: Message) => boolean, describe: string) =>
    until(() => received().find(fits), { describe });
  const send = (method: string, params: Message = {}) => {
    sent += 1;
    write({ id: sent, method, params });
    return sent;
  };
  const reply = (id: number) => waitFor((message) => message.id === id, `the reply to request ${id}`);
  return {
    send,
    reply,
    waitFor,
    received,
    notify: (method, params = {}) => write({ method, params }),
    request: (method, params) => reply(send(method, params)),
  };
}

/** Does the `initialize` handshake of protocol versions before 2026-07-28. */
export async function initialize(conversation: LineConversation): Promise<Message> {
  const reply = await conversation.request("initialize", INITIALIZE_PARAMS);
  conversation.notify("notifications/initialized");
  return reply;
}

export const INITIALIZE_PARAMS: Message = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1.0.0" },
};

/** The `_meta` that every 2026-07-28 request carries instead of a handshake. */
export const MODERN_META: Message = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const TextReply = z.object({ result: z.object({ content: z.tuple([z.object({ text: z.string() })]) }) });

/** The text of a reply to tools/call that has exactly one text block. */
export function textOf(reply: unknown): string {
  return TextReply.parse(reply).result.content[0].text;
}

function parseMessage(line: string): Message {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== "object" || parsed === null) throw new Error(`not a JSON-RPC message: ${line}`);
  return { ...parsed };
}

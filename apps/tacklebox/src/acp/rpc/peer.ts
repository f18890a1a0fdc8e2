import { findInexactNumbers, type InexactNumber, inexactText, textNestsDeeper } from "@tacklebox/core/json-text";
import type { InputLine } from "../../json-lines/split-lines.ts";
import { isObject } from "./is-object.ts";
import type { Outbox } from "./outbox.ts";
import { CANCEL_METHOD, createOwnRequests } from "./own-requests.ts";
import { RpcError, toErrorObject } from "./rpc-error.ts";

/** The reply to a request, and what to do once the reply is sent. */
export interface RpcReply {
  readonly result: object;
  readonly after?: () => void;
}

export interface PeerHooks {
  /** Rejects with RpcError for errors meant for the client; any other error is a bug of ours. */
  readonly answer: (method: string, params: unknown, signal: AbortSignal) => Promise<RpcReply>;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onBug: (error: unknown, method: string) => void;
}

/** The other side of a JSON-RPC connection. */
export interface Peer {
  notify(method: string, params: object): void;
  /** Rejects on an error reply, at the end of the connection, and if `signal` is aborted, which cancels the request. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Handles one line of input. Never throws: an invalid message gets an error reply. */
  receive(line: InputLine): void;
  /** Aborts everything in progress: the other side is gone. */
  end(): void;
}

type Id = string | number | null;

const MAX_DEPTH = 500;

/**
 * JSON-RPC 2.0 as ACP uses it: both sides send requests, there are no batches, and requests can be cancelled. Our own,
 * because the SDK takes longer to load its schemas than the rest of the program takes to start.
 */
export function createPeer(outbox: Outbox, hooks: PeerHooks): Peer {
  const answering = new Map<Id, AbortController>();
  const ownRequests = createOwnRequests(outbox);

  function refuse(id: Id, error: RpcError): void {
    outbox.send({ jsonrpc: "2.0", id, error: toErrorObject(error) });
  }

  async function answer(id: Id, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    answering.set(id, controller);
    try {
      const { result, after } = await hooks.answer(method, params, controller.signal);
      outbox.send({ jsonrpc: "2.0", id, result });
      if (after === undefined) return;
      // `after` may take long, so the reply is sent first.
      await outbox.flushed();
      after();
    } catch (error) {
      refuse(id, toRpcError(error, method));
    } finally {
      if (answering.get(id) === controller) answering.delete(id);
    }
  }

  function toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    hooks.onBug(error, method);
    return new RpcError("internal", "Tacklebox failed because of an internal error; its log says more");
  }

  function onNotification(method: string, params: unknown): void {
    if (method !== CANCEL_METHOD) hooks.onNotification(method, params);
    else if (isObject(params) && isId(params.requestId)) answering.get(params.requestId)?.abort();
  }

  /** Dispatches a message. Returns what is wrong with it, if anything. */
  function receiveMessage(message: unknown): RpcError | undefined {
    if (!isObject(message)) return new RpcError("request", "A message must be one JSON object");
    const { id, method, params } = message;
    if (typeof method === "string" && id === undefined) onNotification(method, params);
    else if (typeof method === "string" && isId(id)) void answer(id, method, params);
    else if (method === undefined && ("result" in message || "error" in message)) ownRequests.settle(message);
    else return new RpcError("request", "A message must have a method, or an id with a result or an error");
    return undefined;
  }

  function read(line: InputLine): RpcError | undefined {
    if (line.kind === "too-long") return new RpcError("request", "A message may be at most 32 MiB");
    if (line.kind === "not-utf8") return new RpcError("parse", "A message must be UTF-8 text");
    if (textNestsDeeper(line.text, MAX_DEPTH))
      return new RpcError("request", `A message may be nested at most ${MAX_DEPTH} levels deep`);
    const parsed = parse(line.text);
    if (parsed === undefined) return new RpcError("parse", "A message must be one line of JSON");
    const [inexact] = findInexactNumbers(line.text);
    return inexact === undefined ? receiveMessage(parsed.value) : refuseInexact(parsed.value, inexact);
  }

  /** Refuses a message that would not arrive as it was sent. Whoever waits for an answer gets one. */
  function refuseInexact(message: unknown, inexact: InexactNumber): RpcError | undefined {
    const error = new RpcError("params", `Not accepted: ${inexactText(inexact)}`);
    if (!isObject(message) || !isId(message.id) || inexact.path === "/id") return error;
    if (message.method === undefined) ownRequests.settle({ id: message.id, error: toErrorObject(error) });
    else refuse(message.id, error);
    return undefined;
  }

  return {
    notify: (method, params) => outbox.send({ jsonrpc: "2.0", method, params }),
    request: ownRequests.send,
    receive(line) {
      const problem = read(line);
      if (problem !== undefined) refuse(null, problem);
    },
    end() {
      for (const controller of answering.values()) controller.abort();
      ownRequests.end();
    },
  };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number" || value === null;
}

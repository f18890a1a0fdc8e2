import type { InputLine } from "../json-lines/split-lines.ts";
import { isObject, type Members } from "./is-object.ts";
import type { Outbox } from "./outbox.ts";
import { RpcError, toErrorObject } from "./rpc-error.ts";

/** What a request is answered with, and what is to happen once the answer is on its way. */
export interface RpcReply {
  readonly result: object;
  readonly after?: () => void;
}

export interface PeerHooks {
  /** Rejects with RpcError for what is the client's to know; anything else is a bug of ours. */
  readonly answer: (method: string, params: unknown, signal: AbortSignal) => Promise<RpcReply>;
  readonly hear: (method: string, params: unknown) => void;
  readonly onBug: (error: unknown, method: string) => void;
}

/** The other side of a JSON-RPC connection. */
export interface Peer {
  notify(method: string, params: object): void;
  /** Rejects when the other side answers with an error, when `signal` is aborted (it is told so), and at the end. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Takes one line of input. Never throws: what cannot be understood is answered as such. */
  take(line: InputLine): void;
  /** Nobody will answer any more, nor wait for answers. */
  end(): void;
}

type Id = string | number | null;

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const CANCEL_METHOD = "$/cancel_request";

/**
 * JSON-RPC 2.0 as ACP uses it: both sides ask, no batches, requests can be withdrawn. Written out because the SDK spends more
 * time loading its schemas than the rest of the program takes to start.
 */
export function createPeer(outbox: Outbox, hooks: PeerHooks): Peer {
  const answering = new Map<Id, AbortController>();
  const asked = new Map<number, Asked>();
  let lastId = 0;

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
      // What follows may take long; the answer is on its way first.
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
    return new RpcError("internal", "Tacklebox failed because of an error of its own; its log says more");
  }

  function hear(method: string, params: unknown): void {
    if (method !== CANCEL_METHOD) hooks.hear(method, params);
    else if (isObject(params) && isId(params.requestId)) answering.get(params.requestId)?.abort();
  }

  function settle(message: Members): void {
    const waiting = typeof message.id === "number" ? asked.get(message.id) : undefined;
    if (waiting === undefined || typeof message.id !== "number") return;
    asked.delete(message.id);
    if (isObject(message.error)) waiting.reject(new Error(`The client answered: ${String(message.error.message)}`));
    else waiting.resolve(message.result);
  }

  /** What is wrong with the message, if anything. */
  function takeMessage(message: unknown): RpcError | undefined {
    if (!isObject(message)) return new RpcError("request", "A message is one JSON object");
    const { id, method, params } = message;
    if (typeof method === "string" && id === undefined) hear(method, params);
    else if (typeof method === "string" && isId(id)) void answer(id, method, params);
    else if (method === undefined && ("result" in message || "error" in message)) settle(message);
    else return new RpcError("request", "A message has a method, or an id with a result or an error");
    return undefined;
  }

  function read(line: InputLine): RpcError | undefined {
    if (line.kind === "too-long") return new RpcError("request", "A message has at most 32 MiB");
    if (line.kind === "not-utf8") return new RpcError("parse", "A message is UTF-8 text");
    const parsed = parse(line.text);
    return parsed === undefined ? new RpcError("parse", "A message is one line of JSON") : takeMessage(parsed.value);
  }

  return {
    notify: (method, params) => outbox.send({ jsonrpc: "2.0", method, params }),
    request(method, params, signal) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const withdraw = () => {
          asked.delete(id);
          outbox.send({ jsonrpc: "2.0", method: CANCEL_METHOD, params: { requestId: id } });
          reject(new DOMException("The question was withdrawn", "AbortError"));
        };
        if (signal.aborted) return reject(new DOMException("The question was withdrawn", "AbortError"));
        const settled = () => signal.removeEventListener("abort", withdraw);
        signal.addEventListener("abort", withdraw, { once: true });
        asked.set(id, {
          resolve: (result) => {
            settled();
            resolve(result);
          },
          reject: (error) => {
            settled();
            reject(error);
          },
        });
        outbox.send({ jsonrpc: "2.0", id, method, params });
      });
    },
    take(line) {
      const problem = read(line);
      if (problem !== undefined) refuse(null, problem);
    },
    end() {
      for (const controller of answering.values()) controller.abort();
      for (const { reject } of asked.values()) reject(new Error("The client is gone"));
      asked.clear();
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

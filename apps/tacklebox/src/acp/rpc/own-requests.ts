import { isObject, type Members } from "./is-object.ts";
import type { Outbox } from "./outbox.ts";

/** Our requests to the other side of a JSON-RPC connection that are not answered yet. */
export interface OwnRequests {
  /** Rejects on an error reply, at the end of the connection, and if `signal` is aborted, which cancels the request. */
  send(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Handles a reply. Ignores one that no request waits for. */
  settle(message: Members): void;
  /** Rejects all requests: no reply will come any more. */
  end(): void;
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export const CANCEL_METHOD = "$/cancel_request";

export function createOwnRequests(outbox: Outbox): OwnRequests {
  const pending = new Map<number, PendingRequest>();
  let lastId = 0;

  return {
    send(method, params, signal) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const cancel = () => {
          pending.delete(id);
          outbox.send({ jsonrpc: "2.0", method: CANCEL_METHOD, params: { requestId: id } });
          reject(new DOMException("The question was withdrawn", "AbortError"));
        };
        if (signal.aborted) return reject(new DOMException("The question was withdrawn", "AbortError"));
        const settled = () => signal.removeEventListener("abort", cancel);
        signal.addEventListener("abort", cancel, { once: true });
        pending.set(id, {
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
    settle({ id, error, result }) {
      const waiting = typeof id === "number" ? pending.get(id) : undefined;
      if (waiting === undefined || typeof id !== "number") return;
      pending.delete(id);
      if (isObject(error)) waiting.reject(new Error(`The client answered: ${String(error.message)}`));
      else waiting.resolve(result);
    },
    end() {
      for (const { reject } of pending.values()) reject(new Error("The client is gone"));
      pending.clear();
    },
  };
}

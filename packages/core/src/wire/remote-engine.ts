import { EngineError } from "../domain/failure.ts";
import type { Engine } from "../engine.ts";
import type { Json } from "../json/json.ts";
import {
  type ClientMessage,
  fromWireError,
  type HostMessage,
  MAX_TEXT_DEPTH,
  parseText,
  type TextChannel,
  TOO_DEEP,
  TooDeep,
} from "./messages.ts";
import { METHODS } from "./methods.ts";

interface Waiting {
  readonly resolve: (message: HostMessage) => void;
  readonly reject: (error: Error) => void;
}

export interface RemoteEngine {
  readonly engine: Engine;
  /** To be called when the channel is gone: rejects all pending requests, and every request from now on. */
  broken(reason: string): void;
}

/** Creates a client for an engine at the other end of a channel; to doors it looks like an engine in their process. */
export function createRemoteEngine(channel: TextChannel): RemoteEngine {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let brokenBecause: string | undefined;
  const send = (message: ClientMessage) => channel.send(JSON.stringify(message));

  channel.receive((text) => {
    const message = parseText<HostMessage>(text);
    if (message === undefined) return;
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message instanceof TooDeep) asked?.reject(new EngineError("oversize", message.reason));
    else if ("error" in message) asked?.reject(fromWireError(message.error));
    else asked?.resolve(message);
  });

  function answerTo(id: number): Promise<HostMessage> {
    return new Promise((resolve, reject) => {
      if (brokenBecause === undefined) waiting.set(id, { resolve, reject });
      else reject(new Error(brokenBecause));
    });
  }

  async function request(noun: string, method: string, given: readonly unknown[]): Promise<unknown> {
    lastId += 1;
    const id = lastId;
    const { args, signalAt, signal } = takeSignal(given);
    refuseUnsendable(args);
    const answer = answerTo(id);
    const abort = () => send({ type: "end", id });
    if (brokenBecause === undefined)
      send({ type: "ask", id, noun, method, args, ...(signalAt !== undefined && { signalAt }) });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    try {
      const message = await answer;
      return "value" in message ? message.value : undefined;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  function stream(noun: string, method: string, given: readonly unknown[]): AsyncIterable<unknown> {
    lastId += 1;
    const id = lastId;
    let isOver = false;
    const args = given.map(toJson);
    refuseUnsendable(args);
    if (brokenBecause === undefined) send({ type: "ask", id, noun, method, args });
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          if (isOver) return { done: true, value: undefined };
          const answer = answerTo(id);
          if (brokenBecause === undefined) send({ type: "next", id });
          const message = await answer;
          if (!("done" in message)) return { done: false, value: "value" in message ? message.value : undefined };
          isOver = true;
          return { done: true, value: undefined };
        },
        async return() {
          if (!isOver && brokenBecause === undefined) send({ type: "end", id });
          isOver = true;
          return { done: true, value: undefined };
        },
      }),
    };
  }

  const nouns = Object.entries(METHODS).map(([noun, methods]) => [
    noun,
    Object.fromEntries(
      Object.entries(methods).map(([method, kind]) => [
        method,
        (...args: readonly unknown[]) => (kind === "stream" ? stream : request)(noun, method, args),
      ]),
    ),
  ]);
  return {
    // The cast is safe: METHODS names every method of Engine, and each answers what the remote method answers.
    engine: Object.fromEntries(nouns) as Engine,
    broken(reason) {
      brokenBecause ??= reason;
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
    },
  };
}

interface Given {
  readonly args: readonly Json[];
  readonly signalAt?: number;
  readonly signal?: AbortSignal;
}

/** A signal is not JSON: only its position is sent, and aborting it sends a separate message. */
function takeSignal(given: readonly unknown[]): Given {
  const at = given.findIndex((value) => signalIn(value) !== undefined);
  const signal = signalIn(given[at]);
  const args = given.map((value, index) => {
    if (index !== at || typeof value !== "object" || value === null) return toJson(value);
    const { signal: _signal, ...options } = value as { readonly signal?: unknown };
    return toJson(options);
  });
  return signal === undefined ? { args } : { args, signalAt: at, signal };
}

/** Throws for what would arrive as something else, or not at all. */
function refuseUnsendable(args: readonly Json[]): void {
  const problem = args.map((value) => unsendableIn(value, MAX_TEXT_DEPTH - 2)).find((found) => found !== undefined);
  if (problem !== undefined) throw new EngineError("invalid", problem);
}

function unsendableIn(value: unknown, levels: number): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return `The number ${value} cannot be sent as JSON`;
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return TOO_DEEP;
  for (const member of Object.values(value)) {
    const problem = unsendableIn(member, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function signalIn(value: unknown): AbortSignal | undefined {
  if (typeof value !== "object" || value === null || !("signal" in value)) return undefined;
  return value.signal instanceof AbortSignal ? value.signal : undefined;
}

function toJson(value: unknown): Json {
  return (value ?? null) as Json;
}

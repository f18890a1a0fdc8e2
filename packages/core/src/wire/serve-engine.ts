import { EngineError } from "../domain/failure.ts";
import type { Engine } from "../engine.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import { type ClientMessage, type HostMessage, parseText, type TextChannel, TooDeep, toWireError } from "./messages.ts";
import { METHODS } from "./methods.ts";

type Ask = Extract<ClientMessage, { readonly type: "ask" }>;
type Method = (...args: readonly unknown[]) => unknown;

/**
 * Serves an engine to the client at the other end of a channel. Returns a function to call when the client is gone: its
 * pending requests are aborted, while runs it started go on.
 */
export function serveEngine(engine: Engine, channel: TextChannel): () => void {
  const requests = new Map<number, AbortController>();
  const streams = new Map<number, AsyncIterator<unknown>>();
  const send = (message: HostMessage) => channel.send(JSON.stringify(message));
  const fail = (id: number, error: unknown) => send({ id, error: toWireError(error) });

  async function answer(ask: Ask): Promise<void> {
    const { id } = ask;
    const aborting = new AbortController();
    requests.set(id, aborting);
    try {
      const { method, kind } = find(engine, ask);
      // A channel may break: asking for the last id keeps events for a client that comes back.
      if (ask.noun === "events") void engine.events.last();
      const made = method(...toArguments(ask, aborting.signal));
      if (kind === "stream") streams.set(id, (made as AsyncIterable<unknown>)[Symbol.asyncIterator]());
      else send({ id, value: (await made) as Json });
    } catch (error) {
      fail(id, error);
    } finally {
      requests.delete(id);
    }
  }

  async function next(id: number): Promise<void> {
    try {
      const step = await streams.get(id)?.next();
      if (step?.done === false) return send({ id, value: step.value as Json });
      streams.delete(id);
      send({ id, done: true });
    } catch (error) {
      streams.delete(id);
      fail(id, error);
    }
  }

  function end(id: number): void {
    requests.get(id)?.abort();
    // Whoever read the stream is gone, or no longer wants to know how it ends.
    streams
      .get(id)
      ?.return?.()
      .catch(() => undefined);
    streams.delete(id);
  }

  channel.receive((text) => {
    const message = parseText<ClientMessage>(text);
    if (message === undefined) return;
    if (message instanceof TooDeep) {
      fail(message.id, new EngineError("invalid", message.reason));
      return;
    }
    if (message.type === "ask") void answer(message);
    if (message.type === "next") void next(message.id);
    if (message.type === "end") end(message.id);
  });
  return () => {
    for (const id of [...requests.keys(), ...streams.keys()]) end(id);
  };
}

function find(engine: Engine, { noun, method }: Ask): { readonly method: Method; readonly kind: "request" | "stream" } {
  const known: Readonly<Record<string, Readonly<Record<string, "request" | "stream">>>> = METHODS;
  const kind =
    Object.hasOwn(known, noun) && Object.hasOwn(known[noun] ?? {}, method) ? known[noun]?.[method] : undefined;
  if (kind === undefined) throw new EngineError("not-found", `There is no '${noun}.${method}'`);
  const methods = Reflect.get(engine, noun) as Readonly<Record<string, Method>>;
  return { method: (...args) => methods[method]?.(...args), kind };
}

/** JSON has no `undefined`: an omitted argument arrives as null, and no engine method takes null. */
function toArguments({ args, signalAt }: Ask, signal: AbortSignal): readonly unknown[] {
  return args.map((argument, at) => {
    if (at === signalAt) return { ...(isJsonObject(argument) ? argument : {}), signal };
    return argument ?? undefined;
  });
}

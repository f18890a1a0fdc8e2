import type { Client } from "@modelcontextprotocol/client";
import { type Clock, ConnectionError } from "@tacklebox/core";
import type { Site } from "../causes/site.ts";
import { toOpenError } from "./connection-errors.ts";
import { keepListening, listenOnce } from "./keep-listening.ts";
import type { RedactServerText } from "./redact-server-text.ts";
import { cancelled, type Wire } from "./wire.ts";

/** Subscribes to changes of resources, in the way the server's protocol revision requires. */
export interface Subscriptions {
  add(uri: string, signal: AbortSignal): Promise<void>;
  remove(uri: string, signal: AbortSignal): Promise<void>;
  /** Subscribes again after the server lost the session that held the subscriptions. */
  renew(): void;
}

/** For legacy servers, which keep the subscriptions themselves, one set per session. */
export function createRequestSubscriptions(wire: Wire, onMissed: (uri: string) => void): Subscriptions {
  const uris = new Set<string>();
  const ask = (method: string, uri: string, signal: AbortSignal) =>
    wire.send({ method, params: { uri }, signal }).answer;
  return {
    async add(uri, signal) {
      await ask("resources/subscribe", uri, signal);
      uris.add(uri);
    },
    async remove(uri, signal) {
      uris.delete(uri);
      await ask("resources/unsubscribe", uri, signal);
    },
    renew() {
      for (const uri of uris) {
        // A server that refuses now no longer has the resource; there will simply be no updates.
        ask("resources/subscribe", uri, new AbortController().signal).then(
          () => onMissed(uri),
          () => undefined,
        );
      }
    },
  };
}

export interface ListenSubscriptionsOptions {
  readonly client: Client;
  readonly onMissed: (uri: string) => void;
  readonly clock: Clock;
  readonly redact: RedactServerText;
  /** Of a server that is reached over HTTP. */
  readonly site?: Site;
  /** Aborted when the connection ends. */
  readonly lifetime: AbortSignal;
}

/** For modern servers, which announce changes on a stream for as long as it is open. */
export function createListenSubscriptions(options: ListenSubscriptionsOptions): Subscriptions {
  const { client, onMissed, clock, redact, site, lifetime } = options;
  const streams = new Map<string, AbortController>();
  lifetime.addEventListener("abort", () => {
    for (const stream of streams.values()) stream.abort();
  });

  async function open(uri: string, stream: AbortController, signal: AbortSignal): Promise<void> {
    const filter = { resourceSubscriptions: [uri] };
    // The signal covers the opening only; later, `remove` or the end of the connection ends the stream.
    const abort = () => stream.abort();
    signal.addEventListener("abort", abort);
    try {
      if (signal.aborted || lifetime.aborted) throw cancelled();
      const first = await listenOnce(client, filter, stream.signal);
      if (!first.honoredFilter.resourceSubscriptions?.includes(uri)) {
        throw new ConnectionError("protocol-error", "The server does not announce changes of this resource.");
      }
      void keepListening(client, { filter, first, clock, onMissed: () => onMissed(uri) }, stream.signal);
    } catch (error) {
      throw signal.aborted
        ? cancelled()
        : toOpenError(error, site === undefined ? { redact } : { redact, http: { site, refusal: undefined } });
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  return {
    async add(uri, signal) {
      if (streams.has(uri)) return;
      const stream = new AbortController();
      streams.set(uri, stream);
      try {
        await open(uri, stream, signal);
      } catch (error) {
        stream.abort();
        streams.delete(uri);
        throw error;
      }
    },
    async remove(uri) {
      streams.get(uri)?.abort();
      streams.delete(uri);
    },
    renew: () => undefined,
  };
}

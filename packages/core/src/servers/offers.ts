import { endAfterActiveTime } from "../async/pausing-deadline.ts";
import { ConnectionError, endingOf } from "../domain/connection.ts";
import { type Answer, type Failure, failed } from "../domain/failure.ts";
import type { Completion, CompletionRequest, FilledPrompt, ResourceContent } from "../domain/offer.ts";
import type { ServerOffers } from "../domain/server-view.ts";
import type { Clock } from "../ports/clock.ts";
import type { Connection } from "../ports/connector.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import type { ServerLink } from "./link/link.ts";
import type { ServerEntry } from "./servers.ts";

export interface OffersDeps {
  readonly servers: () => readonly ServerEntry[];
  readonly redact: Redactor;
  readonly clock: Clock;
  /** Returns the link, or one that refuses every lease once the engine is stopping. */
  readonly guard: (link: ServerLink | undefined) => ServerLink;
}

export interface Offers {
  list(server: string, signal: AbortSignal): Promise<ServerOffers>;
  readResource(server: string, uri: string, signal: AbortSignal): Promise<Answer<readonly ResourceContent[]>>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer<FilledPrompt>>;
  complete(server: string, request: CompletionRequest, signal: AbortSignal): Promise<Answer<Completion>>;
  subscribe(server: string, uri: string): Promise<Answer<() => Promise<void>>>;
  /** Repeats the old connection's subscriptions on a fresh one. */
  reopened(server: string, connection: Connection): void;
}

/**
 * Resources, prompts and completions of servers. Reading them is not a call: it is not limited, approved or recorded.
 */
export function createOffers({ servers, redact, clock, guard }: OffersDeps): Offers {
  const subscriptions = new Map<string, Map<string, number>>();
  const never = new AbortController().signal;

  async function ask<T>(
    server: string,
    signal: AbortSignal,
    use: (connection: Connection, signal: AbortSignal) => Promise<T>,
  ): Promise<Answer<T>> {
    const entry = servers().find(({ definition }) => definition.key === server);
    if (entry === undefined) return noSuchServer(server);
    const { name, timeoutMs } = entry.definition;
    if (entry.link === undefined) return failed("disabled", `Server '${name}' is disabled`);
    const link = guard(entry.link);
    let timedOut = false;
    try {
      const lease = await link.lease(signal);
      const bounded = new AbortController();
      const abort = () => bounded.abort();
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
      // The same timeout as for the server's calls: a server that never answers must not keep the caller waiting
      // forever.
      const cancelTimeout = endAfterActiveTime(
        timeoutMs,
        clock,
        () => link.questionsMs?.() ?? 0,
        () => {
          timedOut = !signal.aborted;
          abort();
        },
      );
      try {
        return { kind: "ok", value: redactJson(redact, await use(lease.connection, bounded.signal)) };
      } catch (error) {
        if (error instanceof ConnectionError && error.retryAfterMs !== undefined) lease.coolDown(error);
        throw error;
      } finally {
        cancelTimeout();
        signal.removeEventListener("abort", abort);
        lease.release();
      }
    } catch (error) {
      if (timedOut) return failed("timed-out", `Server '${name}' did not answer within ${timeoutMs / 1000} s`);
      if (!(error instanceof ConnectionError)) throw error;
      return failed(endingOf(error), `Server '${name}': ${redact(error.message)}`);
    }
  }

  async function list(server: string, signal: AbortSignal): Promise<ServerOffers> {
    const answer = await ask(server, signal, async (connection, bounded) => {
      const [resources, templates, prompts] = await Promise.all([
        connection.listResources(bounded),
        connection.listResourceTemplates(bounded),
        connection.listPrompts(bounded),
      ]);
      return { resources, templates, prompts };
    });
    if (answer.kind === "ok") return { server, ...answer.value };
    return { server, resources: [], templates: [], prompts: [], failure: answer.failure };
  }

  return {
    list,
    readResource: (server, uri, signal) =>
      ask(server, signal, (connection, bounded) => connection.readResource(uri, bounded)),
    getPrompt: (server, name, args, signal) =>
      ask(server, signal, (connection, bounded) => connection.getPrompt(name, args, bounded)),
    complete: (server, request, signal) =>
      ask(server, signal, (connection, bounded) => connection.complete(request, bounded)),
    async subscribe(server, uri) {
      const uris = subscriptions.get(server) ?? new Map<string, number>();
      const count = uris.get(uri) ?? 0;
      if (count === 0) {
        const answer = await ask(server, never, (connection, bounded) => connection.subscribeResource(uri, bounded));
        if (answer.kind === "failed") return answer;
      }
      subscriptions.set(server, uris.set(uri, (uris.get(uri) ?? 0) + 1));
      return { kind: "ok", value: once(() => unsubscribe(server, uri)) };
    },
    reopened(server, connection) {
      for (const uri of subscriptions.get(server)?.keys() ?? []) {
        // If the server refuses this time, it no longer has the resource, and there will be no updates.
        connection.subscribeResource(uri, never).catch(() => undefined);
      }
    },
  };

  async function unsubscribe(server: string, uri: string): Promise<void> {
    const uris = subscriptions.get(server);
    const count = (uris?.get(uri) ?? 1) - 1;
    if (count > 0) {
      uris?.set(uri, count);
      return;
    }
    uris?.delete(uri);
    await ask(server, never, (connection, bounded) => connection.unsubscribeResource(uri, bounded));
  }
}

export function noSuchServer(server: string): { kind: "failed"; failure: Failure } {
  return failed("not-found", `There is no server '${server}'`);
}

function once(task: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= task();
    return done;
  };
}

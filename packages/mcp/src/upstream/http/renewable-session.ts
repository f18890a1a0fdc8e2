import type { Client } from "@modelcontextprotocol/client";
import { type Clock, ConnectionError } from "@tacklebox/core";
import type { Site } from "../causes/site.ts";
import { untilAborted } from "../protocol/abort.ts";
import { toOpenError } from "../protocol/connection-errors.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import { NO_TIMEOUT_MS } from "../protocol/sdk-client.ts";
import type { SessionTransport } from "./session-transport.ts";

/** A session that can be replaced by a new one when the server has forgotten it. */
export interface RenewableSession {
  readonly current: () => SessionTransport;
  /** Opens a new session unless `stale` was already replaced. Rejects with ConnectionError. */
  readonly renew: (stale: unknown) => Promise<void>;
}

export interface RenewableSessionDeps {
  readonly client: Client;
  readonly createTransport: () => SessionTransport;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly redact: RedactServerText;
  readonly site: Site;
  /** Aborts an attempt in progress. */
  readonly lifetime: AbortSignal;
  readonly onRenewed: () => void;
  readonly onFailed: (error: ConnectionError) => void;
}

export function createRenewableSession(first: SessionTransport, deps: RenewableSessionDeps): RenewableSession {
  const { client, createTransport, timeoutMs, clock, redact, site, lifetime } = deps;
  let current = first;
  let renewing: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const next = createTransport();
    const budget = new AbortController();
    const cancelTimeout = clock.after(timeoutMs, () => budget.abort());
    const bound = AbortSignal.any([lifetime, budget.signal]);
    try {
      await current.close();
      const prior = { kind: "legacy" } as const;
      await untilAborted(client.connect(next, { prior, timeout: NO_TIMEOUT_MS, signal: bound }), bound);
    } catch (error) {
      await next.close();
      const explained = bound.aborted
        ? new ConnectionError("unreachable", "The server did not answer in time.")
        : toOpenError(error, { redact, http: { site, refusal: next.refusal } });
      deps.onFailed(explained);
      throw explained;
    } finally {
      cancelTimeout();
    }
    current = next;
    deps.onRenewed();
  }

  return {
    current: () => current,
    renew(stale) {
      if (stale !== current) return Promise.resolve();
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

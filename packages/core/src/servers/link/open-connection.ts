import { delay } from "../../async/delay.ts";
import { ConnectionError } from "../../domain/connection.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Connection, Connector, OpenOptions } from "../../ports/connector.ts";
import type { Ports } from "../../ports/ports.ts";
import { backoffMs } from "./backoff.ts";
import type { StartPace } from "./start-pace.ts";

export interface OpenDeps {
  readonly clock: Clock;
  readonly pace: StartPace;
  readonly place: Ports["place"];
}

/** If a server asks for a longer pause than this, opening fails and the server is tried again in the background. */
const MAX_RETRY_AFTER_MS = 5_000;

/** Opens one connection within the server's timeout, retrying as often as the definition says. */
export async function openConnection(
  definition: ServerDefinition,
  connectors: readonly Connector[],
  options: OpenOptions,
  { clock, pace, place }: OpenDeps,
  signal: AbortSignal,
): Promise<Connection> {
  const { transport } = definition.launch;
  const connector = connectors.find(({ transports }) => transports.includes(transport));
  if (connector === undefined) {
    const where = place === undefined ? "here" : `in ${place}`;
    throw new ConnectionError("misconfigured", `${transport} transport not supported ${where}`, { retryable: false });
  }

  for (let attempt = 0; ; attempt += 1) {
    pace.started();
    try {
      return await openOnce(definition, connector, countingStarts(options, pace), clock, signal);
    } catch (error) {
      const failure = toConnectionError(error);
      const { retryable, retryAfterMs = 0 } = failure;
      if (!retryable || attempt >= definition.retryAttempts || signal.aborted) throw failure;
      if (retryAfterMs > MAX_RETRY_AFTER_MS || pace.waitMs() > 0) throw failure;
      await delay(Math.max(backoffMs(attempt + 1, clock.random), retryAfterMs), clock, signal);
    }
  }
}

/** Counts and limits the processes an attempt starts beyond the first: the attempt itself has been counted already. */
function countingStarts(options: OpenOptions, pace: StartPace): OpenOptions {
  let processes = 0;
  return {
    ...options,
    onStart() {
      processes += 1;
      if (processes > 1) pace.started();
    },
    mayStartAnother: () => pace.waitMs() === 0,
  };
}

async function openOnce(
  definition: ServerDefinition,
  connector: Connector,
  options: OpenOptions,
  clock: Clock,
  signal: AbortSignal,
): Promise<Connection> {
  const budget = new AbortController();
  let late = false;
  const abort = () => budget.abort();
  const cancelTimeout = clock.after(definition.timeoutMs, () => {
    late = true;
    budget.abort();
  });
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await connector.open(definition, options, budget.signal);
  } catch (error) {
    if (!late) throw error;
    const more = error instanceof ConnectionError ? error.ifLate : undefined;
    const text = `no answer within ${definition.timeoutMs / 1000} s`;
    throw new ConnectionError("unreachable", more === undefined ? text : `${text}\n${more}`, {
      cause: error,
    });
  } finally {
    cancelTimeout();
    signal.removeEventListener("abort", abort);
  }
}

export function toConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ConnectionError("unreachable", detail, { cause: error });
}

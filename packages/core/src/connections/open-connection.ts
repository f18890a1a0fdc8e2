import { ConnectionError } from "../domain/connection.ts";
import { pause } from "../domain/pause.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Clock } from "../ports/clock.ts";
import type { Connection, Connector, OpenOptions } from "../ports/connector.ts";
import type { Ports } from "../ports/ports.ts";
import { backoffMs } from "./backoff.ts";

/** Opens one connection within the server's timeout, trying again as often as the definition says (D.7a). */
export async function openConnection(
  definition: ServerDefinition,
  connectors: readonly Connector[],
  options: OpenOptions,
  clock: Clock,
  signal: AbortSignal,
  place?: Ports["place"],
): Promise<Connection> {
  const { transport } = definition.launch;
  const connector = connectors.find(({ transports }) => transports.includes(transport));
  if (connector === undefined) {
    const where = place === undefined ? "here" : `in ${place}`;
    throw new ConnectionError("misconfigured", `${transport} transport not supported ${where}`, { retryable: false });
  }

  for (let attempt = 0; ; attempt += 1) {
    try {
      return await openOnce(definition, connector, options, clock, signal);
    } catch (error) {
      const failure = toConnectionError(error);
      if (!failure.retryable || attempt >= definition.retryAttempts || signal.aborted) throw failure;
      await pause(backoffMs(attempt + 1, clock.random), clock, signal);
    }
  }
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
  const withdraw = clock.after(definition.timeoutMs, () => {
    late = true;
    budget.abort();
  });
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await connector.open(definition, options, budget.signal);
  } catch (error) {
    if (!late) throw error;
    throw new ConnectionError("unreachable", `no answer within ${definition.timeoutMs / 1000} s`, { cause: error });
  } finally {
    withdraw();
    signal.removeEventListener("abort", abort);
  }
}

export function toConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ConnectionError("unreachable", detail, { cause: error });
}

import type { ConnectionError } from "../domain/connection.ts";
import type { StartProblem } from "../engine-host.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Logger } from "../ports/logger.ts";
import { toConnectionError } from "./link/open-connection.ts";
import type { ServerEntry } from "./servers.ts";
import { cannotConnectText, cannotJoinText } from "./start-texts.ts";

/**
 * Opens the enabled ones of these servers in parallel. A required server that fails is returned as a problem, any other is a warning.
 */
export async function startServers(
  entries: readonly ServerEntry[],
  logger: Logger,
  redact: Redactor,
  signal: AbortSignal,
): Promise<StartProblem[]> {
  const results = await openAll(entries, signal, ({ definition }, error) => {
    // Logged at once: the slowest server may take long.
    if (!definition.required) logger.log("warn", cannotJoinText(definition, redact(error.message)));
  });
  return entries.flatMap(({ definition }, index) => {
    const error = results[index];
    if (error === undefined || !definition.required) return [];
    const text = cannotConnectText(definition, redact(error.message));
    return [{ kind: "unreachable", server: definition.key, text }];
  });
}

/** Adds one listener to the signal, however many servers wait for it: beyond ten, the runtime warns of a leak. */
async function openAll(
  entries: readonly ServerEntry[],
  signal: AbortSignal,
  failed: (entry: ServerEntry, error: ConnectionError) => void,
): Promise<readonly (ConnectionError | undefined)[]> {
  const stops = entries.map(() => new AbortController());
  const stopAll = () => {
    for (const stop of stops) stop.abort();
  };
  signal.addEventListener("abort", stopAll, { once: true });
  if (signal.aborted) stopAll();
  try {
    return await Promise.all(
      entries.map(async (entry, index) => {
        const error = await openEntry(entry, stops[index]?.signal ?? signal);
        if (error !== undefined) failed(entry, error);
        return error;
      }),
    );
  } finally {
    signal.removeEventListener("abort", stopAll);
  }
}

/** Returns what went wrong, or undefined if the server is connected. A disabled server is left alone. */
export async function openEntry({ link }: ServerEntry, signal: AbortSignal): Promise<ConnectionError | undefined> {
  try {
    await link?.open(signal);
    return undefined;
  } catch (error) {
    return toConnectionError(error);
  }
}

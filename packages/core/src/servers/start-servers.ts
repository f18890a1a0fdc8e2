import type { Catalog } from "../catalog/catalog.ts";
import type { ConnectionError } from "../domain/connection.ts";
import type { StartProblem } from "../engine-host.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { toConnectionError } from "./link/open-connection.ts";
import type { ServerEntry } from "./servers.ts";
import { cannotConnectText } from "./start-texts.ts";

/** Opens every enabled server at once and says what failed: a required server is a problem, any other a warning (D.1). */
export async function startServers(
  entries: readonly ServerEntry[],
  logger: Logger,
  redact: Redactor,
  signal: AbortSignal,
): Promise<StartProblem[]> {
  const results = await openAll(entries, signal);
  return entries.flatMap(({ definition }, index) => {
    const error = results[index];
    if (error === undefined) return [];
    const detail = redact(error.message);
    if (!definition.required) {
      logger.log("warn", `mcp: server '${definition.name}' failed to connect: ${detail}`);
      return [];
    }
    return [{ kind: "unreachable", server: definition.key, text: cannotConnectText(definition, detail) }];
  });
}

/** One listener on the signal however many servers wait for it: past ten the runtime reports a leak. */
async function openAll(
  entries: readonly ServerEntry[],
  signal: AbortSignal,
): Promise<readonly (ConnectionError | undefined)[]> {
  const stops = entries.map(() => new AbortController());
  const stopAll = () => {
    for (const stop of stops) stop.abort();
  };
  signal.addEventListener("abort", stopAll, { once: true });
  if (signal.aborted) stopAll();
  try {
    return await Promise.all(entries.map((entry, index) => openEntry(entry, stops[index]?.signal ?? signal)));
  } finally {
    signal.removeEventListener("abort", stopAll);
  }
}

/** What went wrong, or undefined when the server is connected; a disabled one is left alone. */
export async function openEntry({ link }: ServerEntry, signal: AbortSignal): Promise<ConnectionError | undefined> {
  try {
    await link?.open(signal);
    return undefined;
  } catch (error) {
    return toConnectionError(error);
  }
}

/** What each connected server offers becomes what the next start compares with. Losing it costs a log line, not a start. */
export async function saveInventories(
  entries: readonly ServerEntry[],
  catalog: Catalog,
  store: Store,
  logger: Logger,
): Promise<void> {
  const listed = entries.filter(
    ({ definition }) => definition.scope !== "local" && catalog.listingOf(definition) !== undefined,
  );
  await Promise.all(
    listed.map(async ({ definition, link }) => {
      catalog.settle(definition);
      const era = link?.status().info?.era;
      try {
        await store.inventory.save({ ...(await catalog.toInventory(definition)), ...(era !== undefined && { era }) });
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        logger.log("warn", `The tool inventory of '${definition.name}' could not be saved: ${detail}`);
      }
    }),
  );
}

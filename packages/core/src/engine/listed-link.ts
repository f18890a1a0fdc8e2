import type { Catalog } from "../catalog/catalog.ts";
import { parseToolList } from "../catalog/parse-tool-list.ts";
import { createServerLink, type LinkPorts, type LinkWatcher, type ManagedLink } from "../connections/server-link.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { Connection } from "../ports/connector.ts";
import type { Logger } from "../ports/logger.ts";

export interface ServerPorts extends LinkPorts {
  readonly catalog: Catalog;
  readonly logger: Logger;
  readonly emit: (event: EngineEvent) => void;
  /** A connection is ready and its tools are listed. */
  readonly opened: (connection: Connection) => void;
  /** A listing changed after the toolbox was first built. */
  readonly listingChanged: (definition: ServerDefinition) => void;
}

/** A link whose listing is kept true: after opening, after reconnecting, and when the server says it changed. */
export function createListedLink(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  ports: ServerPorts,
): ManagedLink {
  const { catalog, logger, emit } = ports;
  const { name } = definition;
  let listing: Promise<void> | undefined;
  let listAgain = false;
  let current = true;

  async function list(connection: Connection): Promise<void> {
    const budget = new AbortController();
    const withdraw = ports.clock.after(definition.timeoutMs, () => budget.abort());
    const { entries, truncated } = await connection.listTools(budget.signal).finally(withdraw);
    const parsed = parseToolList(entries);
    // A link that was replaced must not speak for its successor.
    if (!current) return;
    if (truncated !== undefined) logger.log("warn", `MCP server '${name}' lists too many tools: ${truncated}`);
    await catalog.setListing(definition, parsed);
  }

  const watcher: LinkWatcher = {
    statusChanged: (status, cause) =>
      // Its successor speaks for the server now.
      current &&
      emit({
        type: "connection-changed",
        scope: definition.scope,
        server: definition.key,
        status,
        ...(cause !== undefined && { cause }),
      }),
    async opened(connection) {
      await list(connection);
      const count = catalog.listingOf(definition)?.tools.length ?? 0;
      if (definition.scope !== "local") logger.log("info", `mcp: server '${name}' connected (${count} tools)`);
      ports.listingChanged(definition);
      ports.opened(connection);
    },
    toolsChanged(connection) {
      if (listing !== undefined) {
        listAgain = true;
        return;
      }
      listing = relist(connection).finally(() => {
        listing = undefined;
      });
    },
    serverLogged: (line) => logger.log("debug", `${name}: ${line}`),
  };

  async function relist(connection: Connection): Promise<void> {
    do {
      listAgain = false;
      try {
        await list(connection);
        if (current) ports.listingChanged(definition);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        logger.log("warn", `MCP server '${name}' said its tools changed but could not list them: ${detail}`);
      }
    } while (listAgain);
  }

  const link = createServerLink(definition, knownEra, ports, watcher);
  return {
    ...link,
    retire() {
      current = false;
      return link.retire();
    },
  };
}

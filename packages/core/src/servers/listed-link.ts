import type { Catalog } from "../catalog/catalog.ts";
import { parseToolList } from "../catalog/parse-tool-list.ts";
import { ConnectionError, mirrorsArguments } from "../domain/connection.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { Clock } from "../ports/clock.ts";
import type { Connection, RawToolList } from "../ports/connector.ts";
import type { Logger } from "../ports/logger.ts";
import { redactTexts } from "../secrets/redact-texts.ts";
import { countOf } from "../text/count-of.ts";
import type { LinkDeps, LinkWatcher, ListedLink, OpenedLink } from "./link/managed-link.ts";
import { createServerLink } from "./link/server-link.ts";
import { createRelistPace } from "./relist-pace.ts";

export interface ServerDeps extends LinkDeps {
  readonly catalog: Catalog;
  readonly logger: Logger;
  readonly emit: (event: ServerEvent) => void;
  /** Called when a connection is ready and its tools are listed. */
  readonly opened: (connection: Connection) => void;
  /** Called when a listing changed after the toolbox was first built. */
  readonly listingChanged: (definition: ServerDefinition) => void;
}

/**
 * A link that keeps its tool listing up to date: it lists after every (re)connect and when the server reports a change.
 */
export function createListedLink(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  deps: ServerDeps,
): ListedLink {
  const { catalog, logger, emit } = deps;
  const { name } = definition;
  let listing: Promise<void> | undefined;
  let listAgain = false;
  let current = true;
  let tried = false;
  const pace = createRelistPace(deps.clock);
  let relisting = new AbortController();

  async function list(opened: OpenedLink): Promise<void> {
    const { entries, truncated } = await fetchTools(opened.connection, definition.timeoutMs, deps.clock);
    const parsed = parseToolList(
      entries.map((entry) => redactTexts(entry, opened.redact)),
      deps.knownSecrets.redact,
      { mirrors: mirrorsArguments(opened.connection.info) },
    );
    // A link that was replaced must not overwrite its successor's listing.
    if (!current) return;
    if (truncated !== undefined) logger.log("warn", `The list of tools of MCP server '${name}' was cut: ${truncated}`);
    await catalog.setListing(definition, parsed);
  }

  const watcher: LinkWatcher = {
    statusChanged(state) {
      if (state.status === "error") tried = true;
      // Once replaced, its successor reports the server's status.
      if (!current) return;
      emit({
        type: "connection-changed",
        scope: definition.scope,
        server: definition.key,
        ...state,
        ...(state.cause !== undefined && { cause: deps.knownSecrets.redact(state.cause) }),
      });
    },
    async opened(opened) {
      relisting = new AbortController();
      await list(opened);
      tried = true;
      const count = catalog.listingOf(definition)?.tools.length ?? 0;
      if (definition.scope !== "local")
        logger.log("info", `mcp: server '${name}' connected (${countOf(count, "tool")})`);
      deps.listingChanged(definition);
      deps.opened(opened.connection);
    },
    toolsChanged(opened) {
      if (relisting.signal.aborted) return;
      if (listing !== undefined) {
        listAgain = true;
        return;
      }
      listing = relist(opened).finally(() => {
        listing = undefined;
      });
    },
    flooded: (text) => logger.log("warn", `MCP server '${name}' ${text}`),
    serverLogged: (line) => logger.log("debug", `${name}: ${line}`),
  };

  async function relist(opened: OpenedLink): Promise<void> {
    const { signal } = relisting;
    do {
      if (!(await pace.turn(signal))) return;
      listAgain = false;
      try {
        await list(opened);
        if (current) deps.listingChanged(definition);
      } catch (error) {
        // We closed the connection in the meantime, so its tools are no longer needed.
        if (signal.aborted) return;
        const detail = error instanceof Error ? error.message : String(error);
        logger.log("warn", `MCP server '${name}' said its tools changed but could not list them: ${detail}`);
      }
    } while (listAgain);
  }

  const link = createServerLink(definition, knownEra, deps, watcher);
  return {
    ...link,
    wasTried: () => tried,
    close() {
      relisting.abort();
      return link.close();
    },
    retire() {
      current = false;
      relisting.abort();
      return link.retire();
    },
    end() {
      current = false;
      relisting.abort();
      return link.end();
    },
  };
}

async function fetchTools(connection: Connection, timeoutMs: number, clock: Clock): Promise<RawToolList> {
  const budget = new AbortController();
  const cancelTimeout = clock.after(timeoutMs, () => budget.abort());
  try {
    return await connection.listTools(budget.signal);
  } catch (cause) {
    if (!budget.signal.aborted) throw cause;
    const text = `it did not list its tools within ${timeoutMs / 1000} s`;
    throw new ConnectionError("unreachable", text, { cause });
  } finally {
    cancelTimeout();
  }
}

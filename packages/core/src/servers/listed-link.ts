import { delay } from "../async/delay.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { parseToolList } from "../catalog/parse-tool-list.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { Connection } from "../ports/connector.ts";
import type { Logger } from "../ports/logger.ts";
import { redactTexts } from "../secrets/redact-texts.ts";
import {
  createServerLink,
  type LinkDeps,
  type LinkWatcher,
  type ManagedLink,
  type OpenedLink,
} from "./link/server-link.ts";

export interface ServerDeps extends LinkDeps {
  readonly catalog: Catalog;
  readonly logger: Logger;
  readonly emit: (event: ServerEvent) => void;
  /** A connection is ready and its tools are listed. */
  readonly opened: (connection: Connection) => void;
  /** A listing changed after the toolbox was first built. */
  readonly listingChanged: (definition: ServerDefinition) => void;
}

const MOST_RELISTS = 5;
const RELIST_WINDOW_MS = 5_000;

/** A link whose listing is kept true: after opening, after reconnecting, and when the server says it changed. */
export function createListedLink(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  deps: ServerDeps,
): ManagedLink {
  const { catalog, logger, emit } = deps;
  const { name } = definition;
  let listing: Promise<void> | undefined;
  let listAgain = false;
  let current = true;
  const relists: number[] = [];
  let relisting = new AbortController();

  /** A server may say that its tools changed whenever it was asked for them, for ever. */
  async function waitForTurn(signal: AbortSignal): Promise<boolean> {
    const { clock } = deps;
    const [oldest = 0] = relists;
    const waitMs = relists.length < MOST_RELISTS ? 0 : oldest + RELIST_WINDOW_MS - clock.monotonic();
    if (waitMs > 0 && !(await delay(waitMs, clock, signal))) return false;
    relists.push(clock.monotonic());
    if (relists.length > MOST_RELISTS) relists.shift();
    return true;
  }

  async function list({ connection, redact }: OpenedLink): Promise<void> {
    const budget = new AbortController();
    const withdraw = deps.clock.after(definition.timeoutMs, () => budget.abort());
    const listed = connection.listTools(budget.signal).catch((cause: unknown) => {
      if (!budget.signal.aborted) throw cause;
      const text = `it did not list its tools within ${definition.timeoutMs / 1000} s`;
      throw new ConnectionError("unreachable", text, { cause });
    });
    const { entries, truncated } = await listed.finally(withdraw);
    const parsed = parseToolList(
      entries.map((entry) => redactTexts(entry, redact)),
      deps.knownSecrets.redact,
    );
    // A link that was replaced must not speak for its successor.
    if (!current) return;
    if (truncated !== undefined) logger.log("warn", `The list of tools of MCP server '${name}' was cut: ${truncated}`);
    await catalog.setListing(definition, parsed);
  }

  const watcher: LinkWatcher = {
    statusChanged: (state) =>
      // Its successor speaks for the server now.
      current &&
      emit({
        type: "connection-changed",
        scope: definition.scope,
        server: definition.key,
        ...state,
        ...(state.cause !== undefined && { cause: deps.knownSecrets.redact(state.cause) }),
      }),
    async opened(opened) {
      relisting = new AbortController();
      await list(opened);
      const count = catalog.listingOf(definition)?.tools.length ?? 0;
      if (definition.scope !== "local") logger.log("info", `mcp: server '${name}' connected (${count} tools)`);
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
    serverLogged: (line) => logger.log("debug", `${name}: ${line}`),
  };

  async function relist(opened: OpenedLink): Promise<void> {
    const { signal } = relisting;
    do {
      if (!(await waitForTurn(signal))) return;
      listAgain = false;
      try {
        await list(opened);
        if (current) deps.listingChanged(definition);
      } catch (error) {
        // Closed meanwhile, by us: nobody needs its tools any more.
        if (signal.aborted) return;
        const detail = error instanceof Error ? error.message : String(error);
        logger.log("warn", `MCP server '${name}' said its tools changed but could not list them: ${detail}`);
      }
    } while (listAgain);
  }

  const link = createServerLink(definition, knownEra, deps, watcher);
  return {
    ...link,
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

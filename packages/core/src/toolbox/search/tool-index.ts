import type { RegisteredTool, Toolbox, ToolRef } from "../../domain/tool.ts";
import type { LoadWordVectors } from "../../ports/load-word-vectors.ts";
import type { Logger } from "../../ports/logger.ts";
import type { SearchTools } from "../../toolbox/search/search-tools.ts";
import type { ModelHelp } from "./ask-models.ts";
import type { ToolMatch, ToolSearch } from "./tool-search.ts";
import type { StaticVectors } from "./vectors/static-vectors.ts";

export interface ToolIndex {
  /** Finds the best matches first. A search that fails logs a warning and finds nothing. */
  readonly search: SearchTools;
}

export interface IndexDeps {
  readonly createSearch: () => Promise<ToolSearch>;
  readonly loadVectors?: LoadWordVectors | undefined;
  /** The agent's toolbox. */
  readonly toolbox: () => Toolbox;
  readonly fingerprintOf: (ref: ToolRef) => string;
  readonly logger: Logger;
  readonly help?: ModelHelp;
}

/** People paste whole files into prompts; what they want is usually at the beginning. */
const MAX_QUERY_LENGTH = 10_000;

/**
 * Brings the search up to date with the agent's toolbox at each search: without searches it costs nothing, and a
 * changed toolbox costs only what changed in it.
 */
export function createToolIndex(deps: IndexDeps): ToolIndex {
  const { toolbox, fingerprintOf, logger } = deps;
  let vectors: Promise<StaticVectors | undefined> | undefined;
  let agentSearch: Promise<ToolSearch> | undefined;
  let followed: Toolbox | undefined;
  const known = new Map<string, string>();

  function follow(search: ToolSearch): void {
    const current = toolbox();
    if (current === followed) return;
    const gone = new Set(known.keys());
    for (const tool of current.tools.values()) {
      const id = toId(tool.ref);
      gone.delete(id);
      const fingerprint = fingerprintOf(tool.ref);
      if (known.get(id) === fingerprint) continue;
      add(search, tool);
      known.set(id, fingerprint);
    }
    for (const id of gone) {
      search.remove(id);
      known.delete(id);
    }
    followed = current;
  }

  /** The first search waits for the vectors, so that the same words always find the same tools. */
  async function createSearch(): Promise<ToolSearch> {
    vectors ??= loadVectors(deps);
    const loaded = await vectors;
    const search = await deps.createSearch();
    if (loaded !== undefined) search.useVectors(loaded);
    return search;
  }

  /** Searches the tools of a session's own servers separately, without keeping them: they are few and short-lived. */
  async function searchSession(query: string, tools: readonly RegisteredTool[], limit: number) {
    if (tools.length === 0) return [];
    const search = await createSearch();
    for (const tool of tools) add(search, tool);
    return search.search(query, { limit });
  }

  return {
    async search(query, among, limit, signal) {
      const byId = new Map(among.map((tool) => [toId(tool.ref), tool]));
      try {
        agentSearch ??= createSearch();
        const search = await agentSearch;
        follow(search);
        const words = query.slice(0, MAX_QUERY_LENGTH);
        const most = deps.help?.matchesNeeded(limit, among.length) ?? limit;
        const own = among.filter(({ ref }) => ref.scope === "session");
        const matches: ToolMatch[] = [
          ...search.search(words, { limit: most, among: (id) => byId.has(id) }),
          ...(await searchSession(words, own, most)),
        ];
        const found = matches
          .sort((a, b) => b.score - a.score)
          .flatMap(({ id, score, why }) => {
            const tool = byId.get(id);
            return tool === undefined ? [] : [{ tool, score, why }];
          });
        const improved = deps.help === undefined ? found : await deps.help.improve(words, found, among, signal);
        return improved.slice(0, limit);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        logger.log("warn", `Searching for tools failed, so none were found: ${detail}`);
        return [];
      }
    },
  };
}

async function loadVectors({ loadVectors: load, logger }: IndexDeps): Promise<StaticVectors | undefined> {
  if (load === undefined) return undefined;
  try {
    const { parseStaticVectors } = await import("./vectors/static-vectors.ts");
    const vectors = parseStaticVectors(await load());
    if (vectors === undefined) throw new Error("they are not word vectors");
    return vectors;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    logger.log("warn", `The word vectors could not be loaded, so tools are searched by words alone: ${detail}`);
    return undefined;
  }
}

function add(search: ToolSearch, { ref, tool }: RegisteredTool): void {
  search.set(toId(ref), { ...tool, server: ref.server });
}

function toId({ scope, server, name }: ToolRef): string {
  return JSON.stringify([scope, server, name]);
}

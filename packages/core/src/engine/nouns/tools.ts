import type { EngineTools } from "../../domain/engine.ts";
import { type Redactor, redactJson } from "../../domain/redact.ts";
import type { RegisteredTool, ToolboxSettings, ToolRef } from "../../domain/tool.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import { isBrought, type SearchTools } from "../../runs/select-tools.ts";
import type { CleanTool } from "../clean-tool.ts";
import { explainTool } from "../explain-tool.ts";
import type { Reach } from "../reach.ts";
import type { ServerSet } from "../server-set.ts";
import { saveInventories } from "../start-servers.ts";

export interface ToolsNounPorts {
  readonly settings: () => ToolboxSettings;
  readonly reachOf: (sessionId: string | undefined) => Reach;
  /** The agent's. */
  readonly set: ServerSet;
  readonly search: SearchTools;
  readonly isOffered: (tool: RegisteredTool, reach: Reach) => boolean;
  readonly clean: CleanTool;
  readonly redact: Redactor;
  readonly store: Store;
  readonly logger: Logger;
}

const USUAL_MATCHES = 10;

export function createTools(ports: ToolsNounPorts): EngineTools {
  const { reachOf, isOffered, clean, redact } = ports;
  const { catalog, servers } = ports.set;
  const toolsOf = (reach: Reach) => [...reach.toolbox().tools.values()];

  return {
    list: async ({ sessionId } = {}) => toolsOf(reachOf(sessionId)).map(clean),
    async search(query, { sessionId, limit = USUAL_MATCHES } = {}) {
      const reach = reachOf(sessionId);
      const offered = toolsOf(reach).filter((tool) => !isBrought(tool) && isOffered(tool, reach));
      // A match says which words it is for: those of a secret are none.
      const found = await ports.search(redact(query), offered, limit);
      return found.map((match) => ({ ...match, tool: clean(match.tool) }));
    },
    async explain(name, server, { sessionId } = {}) {
      const reach = reachOf(sessionId);
      const known = reach.servers().map(({ entry: { definition, link } }) => ({
        definition,
        status: link?.status().status ?? ("disabled" as const),
      }));
      const pinOf = (ref: ToolRef) => reach.setOf(ref).catalog.pinOf(ref);
      const scenery = { toolbox: reach.toolbox(), settings: ports.settings(), pinOf, servers: known };
      return redactJson(redact, explainTool(name, server, scenery));
    },
    async trust(server, tool) {
      const entry = servers.named(server);
      if (entry === undefined) return [];
      const { scope } = entry.definition;
      const changed = (catalog.listingOf(entry.definition)?.tools ?? [])
        .map(({ name }) => name)
        .filter(
          (name) => (tool === undefined || name === tool) && catalog.pinOf({ scope, server, name }).kind === "changed",
        );
      for (const name of changed) catalog.agree({ scope, server, name });
      await saveInventories([entry], catalog, ports.store, ports.logger);
      return changed;
    },
  };
}

import { Stop, type StopSignal } from "../async/stop.ts";
import type { RegisteredTool, ToolboxSettings, ToolRef } from "../domain/tool.ts";
import type { EngineTools } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Ports } from "../ports/ports.ts";
import { redactJson } from "../secrets/redact.ts";
import type { Access } from "../servers/access.ts";
import type { ServerSet } from "../servers/server-set.ts";
import { saveInventories } from "../servers/start-servers.ts";
import { isAlwaysSent, type SearchTools } from "../toolbox/search/search-tools.ts";
import { explainTool } from "./explain-tool.ts";
import { findTool, findToolOf } from "./find-tool.ts";
import type { RedactTool } from "./redact-tool.ts";

export interface EngineToolsDeps {
  readonly ports: Pick<Ports, "store" | "logger" | "advice">;
  readonly settings: () => ToolboxSettings;
  readonly accessOf: (sessionId: string | undefined) => Access;
  /** The agent's servers. */
  readonly set: ServerSet;
  readonly search: SearchTools;
  /** Waits for the servers that may have a tool of this name, of that server or of any. */
  readonly waitForNamed: (tool: string, server: string | undefined, access: Access, stop: StopSignal) => Promise<void>;
  readonly isOffered: (tool: RegisteredTool, access: Access) => boolean;
  readonly redactTool: RedactTool;
  readonly redact: Redactor;
}

const USUAL_MATCHES = 10;

export function createEngineTools(deps: EngineToolsDeps): EngineTools {
  const { accessOf, isOffered, redactTool, redact, waitForNamed } = deps;
  const { catalog, servers } = deps.set;
  const toolsOf = (access: Access) => [...access.toolbox().tools.values()];

  return {
    list: async ({ sessionId } = {}) => toolsOf(accessOf(sessionId)).map(redactTool),
    async search(query, { sessionId, limit = USUAL_MATCHES } = {}) {
      const access = accessOf(sessionId);
      const offered = toolsOf(access).filter((tool) => !isAlwaysSent(tool) && isOffered(tool, access));
      // A match quotes the words it was found by, so secrets are redacted first.
      const found = await deps.search(redact(query), offered, limit);
      return found.map((match) => ({ ...match, tool: redactTool(match.tool) }));
    },
    async find(name, { server, sessionId, signal = new Stop() } = {}) {
      const access = accessOf(sessionId);
      await waitForNamed(name, server, access, signal);
      const toolbox = access.peek();
      const found = server === undefined ? findTool(name, toolbox) : findToolOf(server, name, toolbox);
      return found === undefined ? undefined : redactTool(found);
    },
    async explain(name, server, { sessionId } = {}) {
      const access = accessOf(sessionId);
      const known = access.servers().map(({ entry: { definition, link } }) => ({
        definition,
        status: link?.status().status ?? ("disabled" as const),
      }));
      const pinOf = (ref: ToolRef) => access.setOf(ref).catalog.pinOf(ref);
      const context = {
        toolbox: access.toolbox(),
        settings: deps.settings(),
        pinOf,
        servers: known,
        advice: deps.ports.advice,
      };
      return redactJson(redact, explainTool(name, server, context));
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
      for (const name of changed) catalog.accept({ scope, server, name });
      await saveInventories([entry], catalog, deps.ports.store, deps.ports.logger);
      return changed;
    },
  };
}

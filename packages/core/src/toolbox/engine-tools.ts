import type { RegisteredTool, ToolboxSettings, ToolRef } from "../domain/tool.ts";
import type { EngineTools, InSession, RunApproval } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Logger } from "../ports/logger.ts";
import type { PlaceOf } from "../ports/setting-place.ts";
import type { Store } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";
import type { Access } from "../servers/access.ts";
import type { ServerSet } from "../servers/server-set.ts";
import { saveInventories } from "../servers/start-servers.ts";
import { isAlwaysSent, type SearchTools } from "../toolbox/search/search-tools.ts";
import { type ExplanationContext, explainTool } from "./explain-tool.ts";
import { knownServers } from "./known-servers.ts";
import type { RedactTool } from "./redact-tool.ts";

export interface EngineToolsDeps {
  readonly settings: () => ToolboxSettings;
  readonly accessOf: (sessionId: string | undefined) => Access;
  /** The agent's servers. */
  readonly set: ServerSet;
  readonly search: SearchTools;
  readonly isOffered: (tool: RegisteredTool, access: Access) => boolean;
  readonly redactTool: RedactTool;
  readonly redact: Redactor;
  readonly store: Store;
  readonly logger: Logger;
  readonly advice: ExplanationContext["advice"];
  readonly placeOf: PlaceOf;
  /** How the calls of a run would be approved. */
  readonly approvalsFor: (
    access: Access,
    run: InSession & RunApproval,
  ) => Promise<NonNullable<ExplanationContext["approvalOf"]>>;
}

const USUAL_MATCHES = 10;

export function createEngineTools(deps: EngineToolsDeps): EngineTools {
  const { accessOf, isOffered, redactTool, redact } = deps;
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
    async explain(name, server, { sessionId, run } = {}) {
      const access = accessOf(sessionId);
      const context = {
        toolbox: access.toolbox(),
        settings: deps.settings(),
        pinOf: (ref: ToolRef) => access.setOf(ref).catalog.pinOf(ref),
        servers: knownServers(access),
        advice: deps.advice,
        placeOf: deps.placeOf,
      };
      const approvalOf =
        run && (await deps.approvalsFor(access, { ...run, ...(sessionId !== undefined && { sessionId }) }));
      return redactJson(redact, explainTool(name, server, { ...context, approvalOf }));
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
      await saveInventories([entry], catalog, deps.store, deps.logger);
      return changed;
    },
  };
}

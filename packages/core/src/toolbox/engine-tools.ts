import { Stop, type StopSignal } from "../async/stop.ts";
import type { RegisteredTool, ToolboxSettings, ToolRef } from "../domain/tool.ts";
import type { EngineTools, InSession, RunApproval } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { PlaceOf } from "../ports/setting-place.ts";
import { redactJson } from "../secrets/redact.ts";
import type { Access } from "../servers/access.ts";
import type { Inventories } from "../servers/inventories.ts";
import type { ServerSet } from "../servers/server-set.ts";
import { isAlwaysSent, type SearchTools } from "../toolbox/search/search-tools.ts";
import { type ExplanationContext, explainTool } from "./explain-tool.ts";
import { findTool, findToolOf } from "./find-tool.ts";
import { knownServers } from "./known-servers.ts";
import type { RedactTool } from "./redact-tool.ts";

export interface EngineToolsDeps {
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
  readonly inventories: Inventories;
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
  const { accessOf, isOffered, redactTool, redact, inventories, waitForNamed } = deps;
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
    async changed(server, tool) {
      const entry = servers.named(server);
      if (entry === undefined) return [];
      const found = catalog
        .changedTools(entry.definition)
        .filter((changed) => tool === undefined || changed.tool === tool);
      if (found.every(({ before }) => before !== undefined)) return redactJson(redact, found);
      const accepted = await inventories.definitions(entry.definition);
      const stored = new Map(accepted.map(({ tool: name, definition }) => [name, definition]));
      return redactJson(
        redact,
        found.map((changed) => {
          const before = changed.before ?? stored.get(changed.tool);
          return { ...changed, ...(before !== undefined && { before }) };
        }),
      );
    },
    async trust(server, seen) {
      const entry = servers.named(server);
      if (entry === undefined) return [];
      const { scope } = entry.definition;
      const accepted = seen.filter(({ tool, fingerprint }) =>
        catalog.accept({ scope, server, name: tool }, fingerprint),
      );
      if (accepted.length > 0) await inventories.save([entry], catalog);
      return accepted.map(({ tool }) => tool);
    },
  };
}

import type { ServerDefinition } from "../domain/server.ts";
import type { HiddenTool } from "../domain/tool.ts";
import type { NameIndex } from "./names/name-index.ts";
import type { Notice, ToolCandidate } from "./registration.ts";

/** What a set of servers adds to a toolbox, before tools get the names that models see. */
export interface ServerTools {
  /** In configuration order, connected or not. */
  readonly servers: readonly ServerDefinition[];
  /** Those that are disabled as well. */
  readonly configured: readonly ServerDefinition[];
  readonly candidates: readonly ToolCandidate[];
  readonly hidden: readonly HiddenTool[];
  /** The keys of notices that were already logged about them. */
  readonly noticeKeys: ReadonlySet<string>;
  /** The shown names that belong to tools of these servers, listed or not. */
  readonly names: () => NameIndex;
}

/**
 * Lays a session's servers over the agent's; the only place where the two meet. An agent server of the same name is
 * replaced completely, whether or not the session's server is up; tools of the same name are left to assignNames.
 */
export function overlayTools(
  lower: ServerTools,
  own: Omit<ServerTools, "noticeKeys" | "names">,
): Pick<ServerTools, "configured" | "candidates" | "hidden"> & { readonly notices: readonly Notice[] } {
  const replacedServers = new Map(
    lower.servers
      .filter((server) => isReplaced(server, own.servers))
      .map((server) => [`${server.scope}/${server.key}`, server.name]),
  );
  const isOfReplaced = ({ ref }: ToolCandidate) => replacedServers.has(`${ref.scope}/${ref.server}`);
  const detail = "the session brought a server of the same name, which takes the place of this one";
  return {
    configured: [...lower.configured.filter((server) => !isReplaced(server, own.servers)), ...own.configured],
    candidates: [...lower.candidates.filter((candidate) => !isOfReplaced(candidate)), ...own.candidates],
    hidden: [
      ...lower.hidden,
      ...lower.candidates
        .filter(isOfReplaced)
        .map(({ ref }) => ({ ref, reason: { kind: "replaced", detail } as const })),
      ...own.hidden,
    ],
    notices: Array.from(replacedServers, ([key, name]) => ({
      key: `replaced:${key}`,
      level: "warn",
      text: `The session brought an MCP server '${name}', which takes the place of the configured one of that name`,
    })),
  };
}

export function isReplaced(server: ServerDefinition, by: readonly ServerDefinition[]): boolean {
  return by.some(({ key, name }) => key === server.key || name === server.name);
}

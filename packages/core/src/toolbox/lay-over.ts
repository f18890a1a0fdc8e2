import type { ServerDefinition } from "../domain/server.ts";
import type { HiddenTool } from "../domain/tool.ts";
import type { Notice, ToolCandidate } from "./registration.ts";

/** What some servers bring to a toolbox, before tools have the names that models see. */
export interface ServerTools {
  /** In configuration order, connected or not. */
  readonly servers: readonly ServerDefinition[];
  readonly candidates: readonly ToolCandidate[];
  readonly hidden: readonly HiddenTool[];
  /** Of notices that are said about them already. */
  readonly noticeKeys: ReadonlySet<string>;
}

/**
 * A session's servers over those of the agent: the one place where the two meet (S3.6, S3.13). A server of the same name
 * is replaced whole, whether or not the session's is up (S3.18, D.2); tools of the same name are left to naming.
 */
export function layOver(
  lower: ServerTools,
  own: Omit<ServerTools, "noticeKeys">,
): Pick<ServerTools, "candidates" | "hidden"> & { readonly notices: readonly Notice[] } {
  const gone = new Map(
    lower.servers
      .filter((server) => isReplaced(server, own.servers))
      .map((server) => [`${server.scope}/${server.key}`, server.name]),
  );
  const replaced = ({ ref }: ToolCandidate) => gone.has(`${ref.scope}/${ref.server}`);
  const detail = "the session brought a server of the same name, which takes the place of this one";
  return {
    candidates: [...lower.candidates.filter((candidate) => !replaced(candidate)), ...own.candidates],
    hidden: [
      ...lower.hidden,
      ...lower.candidates.filter(replaced).map(({ ref }) => ({ ref, reason: { kind: "replaced", detail } as const })),
      ...own.hidden,
    ],
    notices: Array.from(gone, ([key, name]) => ({
      key: `replaced:${key}`,
      level: "warn",
      text: `The session brought an MCP server '${name}', which takes the place of the configured one of that name`,
    })),
  };
}

export function isReplaced(server: ServerDefinition, by: readonly ServerDefinition[]): boolean {
  return by.some(({ key, name }) => key === server.key || name === server.name);
}

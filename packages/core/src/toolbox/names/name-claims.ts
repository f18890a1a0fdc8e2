import type { ServerDefinition } from "../../domain/server.ts";
import type { ToolboxSettings, ToolRef } from "../../domain/tool.ts";
import type { ServerSet } from "../../servers/server-set.ts";

/** Who gets a name that nobody has, without a look at who connected first. */
export interface NameClaims {
  /** How good the tool's claim is. */
  claimOf(ref: ToolRef): number;
  /** Whether names may still go to any server: one that is coming and was never seen may have any tool. */
  isSettling(): boolean;
  /** Whether the claim is better than any that such a server may have. */
  isBeyondReach(ref: ToolRef): boolean;
}

const OPTIONAL = 0;
/** Every start waits for such a server, so callers see its tools before those of others. */
const AWAITED = 1;
/** Callers may know the tool. */
const SEEN_BEFORE = 2;
export const BEST_CLAIM = SEEN_BEFORE;

export function createNameClaims(
  { catalog, servers, enabled, isComing }: ServerSet,
  settings: () => Pick<ToolboxSettings, "keepsNames" | "localCollision">,
): NameClaims {
  /** The servers that are coming and were never seen: those that were have their names kept for them. */
  function unknown(): readonly ServerDefinition[] {
    return enabled().filter((definition) => isComing(definition) && catalog.namesOfLastTime(definition) === undefined);
  }

  function claimOf(ref: ToolRef): number {
    const definition = servers.find(ref.scope, ref.server)?.definition;
    // S4.28: in toolbox files the last one wins, whatever was there before.
    if (definition === undefined || !settings().keepsNames) return OPTIONAL;
    if (ref.scope === "local") return OPTIONAL;
    return catalog.namesOfLastTime(definition)?.has(ref.name) === true ? SEEN_BEFORE : serverClaim(definition);
  }

  return {
    claimOf,
    isSettling: () => unknown().length > 0,
    isBeyondReach(ref) {
      // Local tools claim before those of every MCP server.
      if (ref.scope === "local" && settings().localCollision === "local_wins") return true;
      const claim = claimOf(ref);
      return claim > OPTIONAL && unknown().every((definition) => serverClaim(definition) < claim);
    },
  };
}

function serverClaim({ required, mode }: ServerDefinition): number {
  return required || mode === "strict" ? AWAITED : OPTIONAL;
}

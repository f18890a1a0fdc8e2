import type { HiddenTool, Toolbox, ToolRef } from "../domain/tool.ts";
import type { KnownServer } from "./known-servers.ts";
import { toQualifiedShownName, toShownName } from "./names/shown-name.ts";
import { type Obstacle, type ObstacleDeps, serverObstacle, toolObstacle } from "./obstacle.ts";
import { exclusionOf } from "./register-tools.ts";

export interface Sight extends ObstacleDeps {
  readonly toolbox: Toolbox;
  /** Those that the caller can use, in configuration order. */
  readonly servers: readonly KnownServer[];
}

/**
 * Why a name that is not found cannot be called: one obstacle for each tool that may be meant, the most likely first.
 * Empty if no server has such a tool, as far as is known. Used only after a lookup failed.
 */
export function findObstacles(name: string, server: string | undefined, sight: Sight): readonly Obstacle[] {
  const listed = sight.toolbox.hidden.filter((tool) =>
    server === undefined ? isCalled(name, tool.ref) : tool.ref.server === server && tool.ref.name === name,
  );
  return [...listed.flatMap((tool) => listedObstacle(tool, sight) ?? []), ...absentObstacles(name, server, sight)];
}

export function listedObstacle(tool: HiddenTool, sight: Sight): Obstacle | undefined {
  return toolObstacle(tool, knownServerOf(tool.ref, sight), sight);
}

export function knownServerOf(
  { scope, server }: ToolRef,
  { servers }: Pick<Sight, "servers">,
): KnownServer | undefined {
  return servers.find(({ definition }) => definition.scope === scope && definition.key === server);
}

/** Whether a name without a server may mean the tool. */
function isCalled(name: string, { server, name: own }: ToolRef): boolean {
  return name === own || name === toShownName(own) || name === toQualifiedShownName(server, own);
}

/** Servers that have listed nothing: of some it is known what they offered last time. */
function absentObstacles(name: string, server: string | undefined, sight: Sight): readonly Obstacle[] {
  const absent = sight.servers.filter(({ isListed }) => !isListed);
  const named = absent.find(({ definition }) => definition.key === server);
  if (server !== undefined) return [named].flatMap((known) => (known && serverObstacle(known, name, sight)) ?? []);
  const holder = sight.toolbox.expected.get(name)?.ref;
  return absent.flatMap((known): Obstacle | readonly Obstacle[] => {
    const { definition, namesOfLastTime = NO_NAMES } = known;
    const refOf = (own: string): ToolRef => ({ scope: definition.scope, server: definition.key, name: own });
    const isHolder = holder?.scope === definition.scope && holder.server === definition.key;
    const own = isHolder ? holder.name : [...namesOfLastTime].find((candidate) => isCalled(name, refOf(candidate)));
    if (own === undefined) return [];
    const reason = known.state === undefined ? undefined : exclusionOf(own, definition, sight.settings);
    const barred = reason && toolObstacle({ ref: refOf(own), reason }, known, sight);
    return barred ?? serverObstacle(known, own, sight) ?? [];
  });
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The servers that are down and were never seen, so that they may have any tool. */
export function unseenServers({ servers }: Pick<Sight, "servers">): readonly KnownServer[] {
  return servers.filter(
    ({ state, isListed, namesOfLastTime }) => state !== undefined && !isListed && namesOfLastTime === undefined,
  );
}

import { launchKey } from "../catalog/fingerprint.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { Access, AccessibleServer, CallTracker } from "../servers/access.ts";
import type { ServerSet } from "../servers/server-set.ts";
import type { ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import { isReplaced } from "../toolbox/overlay-tools.ts";

export interface SessionAccessDeps {
  readonly agent: Access;
  /** The session's own servers. */
  readonly set: ServerSet;
  readonly keeper: Pick<ToolboxKeeper, "current" | "peek" | "holds" | "use">;
  /** Tracks the calls of the session, which the agent tracks as well. */
  readonly flight: CallTracker;
  readonly hasher: Hasher;
}

/** Lays a session's servers over the agent's: a session server hides an agent server of the same name. */
export function createSessionAccess({ agent, set, keeper, flight, hasher }: SessionAccessDeps): Access {
  function agentServers(): readonly AccessibleServer[] {
    const own = set.enabled();
    return agent.servers().filter(({ entry }) => !isReplaced(entry.definition, own));
  }

  return {
    toolbox: keeper.current,
    peek: keeper.peek,
    holds: keeper.holds,
    isBeyondReach: (ref) => ref.scope === "session" || agent.isBeyondReach(ref),
    use: keeper.use,
    servers: () => [...agentServers(), ...set.servers.list().map((entry) => ({ set, entry }))],
    named(key) {
      const entry = set.servers.named(key);
      if (entry !== undefined) return { set, entry };
      return agentServers().find(({ entry: { definition } }) => definition.key === key);
    },
    setOf: (ref) => (ref.scope === "session" ? set : agent.setOf(ref)),
    async grantNameOf({ scope, server }) {
      const entry = scope === "session" ? set.servers.find(scope, server) : undefined;
      // The door chooses the server's name, so an approval for one launch must not count for another of the same name.
      return entry === undefined ? server : launchKey(entry.definition, hasher);
    },
    coming() {
      const own = set.firstConnections.connecting();
      const lower = agent.coming();
      if (lower.length === 0) return own;
      const replacing = set.enabled();
      return [...lower.filter(({ entry }) => !isReplaced(entry.definition, replacing)), ...own];
    },
    tracker: {
      track: (signal, call, id) => flight.track(signal, (stop) => agent.tracker.track(stop, call, id)),
      guard: (link) => agent.tracker.guard(flight.guard(link)),
    },
  };
}

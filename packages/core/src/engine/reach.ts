import type { Toolbox, ToolRef } from "../domain/tool.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import type { ToolboxKeeper } from "./keep-toolbox.ts";
import type { ServerSet } from "./server-set.ts";
import type { ServerEntry } from "./servers.ts";

/** What one caller can reach: the agent's servers, or those of a session over them. */
export interface Reach {
  toolbox(): Toolbox;
  /** In the order of their tools' registration. */
  servers(): readonly ReachedServer[];
  /** By key, as people name servers. */
  named(key: string): ReachedServer | undefined;
  /** The servers that a tool's reference speaks of. */
  setOf(ref: ToolRef): ServerSet;
  /** The name of a server under which answers about its tools are remembered. */
  grantNameOf(server: { readonly scope: string; readonly server: string }): Promise<string>;
  readonly flight: Pick<CallsInFlight, "track" | "guard">;
}

export interface ReachedServer {
  readonly set: ServerSet;
  readonly entry: ServerEntry;
}

export function createAgentReach(set: ServerSet, keeper: ToolboxKeeper, flight: CallsInFlight): Reach {
  return {
    toolbox: keeper.current,
    servers: () => set.servers.list().map((entry) => ({ set, entry })),
    named(key) {
      const entry = set.servers.named(key);
      return entry === undefined ? undefined : { set, entry };
    },
    setOf: () => set,
    grantNameOf: async ({ server }) => server,
    flight,
  };
}

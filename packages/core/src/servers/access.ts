import type { Stop, StopSignal } from "../async/stop.ts";
import type { Toolbox, ToolRef } from "../domain/tool.ts";
import type { ServerLink } from "./link/link.ts";
import type { ServerSet } from "./server-set.ts";
import type { ServerEntry } from "./servers.ts";

/** What one caller can reach: the agent's servers, or those of a session over them. */
export interface Access {
  toolbox(): Toolbox;
  /** In the order of their tools' registration. */
  servers(): readonly AccessibleServer[];
  /** By key, as people name servers. */
  named(key: string): AccessibleServer | undefined;
  /** The servers that a tool's reference speaks of. */
  setOf(ref: ToolRef): ServerSet;
  /** The name of a server under which answers about its tools are remembered. */
  grantNameOf(server: { readonly scope: string; readonly server: string }): Promise<string>;
  readonly flight: CallTracker;
}

/** Calls that are going on, so that they can be stopped and new ones be refused. */
export interface CallTracker {
  /** Runs a call that can be stopped: by `signal`, by its id, by draining that runs out of time, and by the call itself. */
  track<T>(signal: StopSignal | undefined, call: (stop: Stop) => Promise<T>, id?: string): Promise<T>;
  /** The link, or one that refuses: once the end began nothing new may reach a server. */
  guard(link: ServerLink | undefined): ServerLink;
}

export interface AccessibleServer {
  readonly set: ServerSet;
  readonly entry: ServerEntry;
}

export function createAgentAccess(set: ServerSet, toolbox: () => Toolbox, flight: CallTracker): Access {
  return {
    toolbox,
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

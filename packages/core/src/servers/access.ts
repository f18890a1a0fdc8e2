import type { Stop, StopSignal } from "../async/stop.ts";
import type { RegisteredTool, Toolbox, ToolRef } from "../domain/tool.ts";
import type { FirstConnection } from "./first-connections.ts";
import type { ServerLink } from "./link/link.ts";
import type { ServerSet } from "./server-set.ts";
import type { ServerEntry } from "./servers.ts";

/** What one caller can use: the agent's servers, or a session's own servers on top of them. */
export interface Access {
  toolbox(): Toolbox;
  /** The toolbox to look at rather than call from: names of tools may still change while servers start. */
  peek(): Toolbox;
  /** Whether the tool's name belongs to it, whatever servers come. */
  holds(tool: RegisteredTool): boolean;
  /** Whether no server that is still coming can get the tool's name, although it is not held yet. */
  isBeyondReach(ref: ToolRef): boolean;
  /** Has the tool, which was called by its name or sent to a model, keep that name, if it has it now. */
  use(tool: RegisteredTool): void;
  /** The accessible servers, in the order in which their tools are registered. */
  servers(): readonly AccessibleServer[];
  /** Finds a server by key, as people name servers. */
  named(key: string): AccessibleServer | undefined;
  /** Returns the set that the tool's server belongs to. */
  setOf(ref: ToolRef): ServerSet;
  /** Returns the server name under which grants for its tools are saved. */
  grantNameOf(server: { readonly scope: string; readonly server: string }): Promise<string>;
  /** The accessible servers that are still connecting for the first time, while others are in use. */
  coming(): readonly FirstConnection[];
  readonly tracker: CallTracker;
}

/** Tracks running calls, so that they can be stopped and new ones refused. */
export interface CallTracker {
  /** Runs a call that can be stopped: by `signal`, by its id, by a drain that times out, or by the call itself. */
  track<T>(signal: StopSignal | undefined, call: (stop: Stop) => Promise<T>, id?: string): Promise<T>;
  /** Returns the link, or one that refuses every lease: once the engine is stopping, nothing new may reach a server. */
  guard(link: ServerLink | undefined): ServerLink;
}

export interface AccessibleServer {
  readonly set: ServerSet;
  readonly entry: ServerEntry;
}

type NameMethod = "holds" | "isBeyondReach" | "use";

export function createAgentAccess(
  set: ServerSet,
  { current, peek, ...names }: { current(): Toolbox; peek(): Toolbox } & Pick<Access, NameMethod>,
  tracker: CallTracker,
): Access {
  return {
    toolbox: current,
    peek,
    ...names,
    servers: () => set.servers.list().map((entry) => ({ set, entry })),
    named(key) {
      const entry = set.servers.named(key);
      return entry === undefined ? undefined : { set, entry };
    },
    setOf: () => set,
    grantNameOf: async ({ server }) => server,
    coming: set.firstConnections.connecting,
    tracker,
  };
}

export function entryOf(access: Access, ref: ToolRef): ServerEntry | undefined {
  return access.setOf(ref).servers.find(ref.scope, ref.server);
}

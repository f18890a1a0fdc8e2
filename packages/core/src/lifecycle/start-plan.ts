import type { StartPlan } from "../engine-host.ts";
import type { ServerChange, ServerEntry, Servers } from "../servers/servers.ts";

export interface DividedServers {
  /** Connected and waited for. */
  readonly awaited: readonly ServerEntry[];
  /** Connected in the background. */
  readonly joining: readonly ServerEntry[];
}

/**
 * How long a start waits for strict servers that are not required, if the others may join later. What they list within
 * that time can refuse the start (S4.12); after it, a tool that nobody configured is an error in the log and stays out.
 */
export const STRICT_WAIT_MS = 1_000;

/** Decides which servers a start connects and waits for. A server in neither list is left alone. */
export function divideServers(entries: readonly ServerEntry[], plan: StartPlan): DividedServers {
  switch (plan.kind) {
    case "everything":
      return { awaited: entries, joining: [] };
    case "one-server":
      return {
        awaited: entries.filter(({ definition }) => definition.required || definition.key === plan.server),
        joining: [],
      };
    case "join-later":
      return {
        awaited: entries.filter(({ definition }) => definition.required),
        joining: entries.filter(({ link, definition }) => link !== undefined && !definition.required),
      };
  }
}

/**
 * Decides the same for the servers that a reload changed. One that is connected anew is waited for under every plan: if
 * the next reload replaced it before it is up, the calls that wait for it would end.
 */
export function divideChanged(changes: readonly ServerChange[], servers: Servers, plan: StartPlan): DividedServers {
  const entriesOf = (wanted: ServerChange["kind"]) =>
    changes.flatMap(({ kind, definition: { scope, key } }) =>
      kind === wanted ? (servers.find(scope, key) ?? []) : [],
    );
  const { awaited, joining } = divideServers(entriesOf("added"), plan);
  return { awaited: [...awaited, ...entriesOf("reconnected")], joining };
}

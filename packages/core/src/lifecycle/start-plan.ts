import type { StartPlan } from "../engine-host.ts";
import type { ServerChange, ServerEntry, Servers } from "../servers/servers.ts";

export interface DividedServers {
  /** Connected and waited for. */
  readonly awaited: readonly ServerEntry[];
  /** Connected in the background. */
  readonly joining: readonly ServerEntry[];
}

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
        awaited: entries.filter(canStopStart),
        joining: entries.filter((entry) => entry.link !== undefined && !canStopStart(entry)),
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

/** A required server stops the start if it is down (S4.18), a strict one if it lists a tool nobody configured (S4.12). */
function canStopStart({ definition }: ServerEntry): boolean {
  return definition.required || definition.mode === "strict";
}

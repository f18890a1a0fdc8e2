import type { StopSignal } from "../../async/stop.ts";
import { ConnectionError, type Flood } from "../../domain/connection.ts";
import { hasHostPerTool } from "../../domain/launch.ts";
import type { Era, ServerDefinition } from "../../domain/server.ts";
import { createCooldown } from "./cooldown.ts";
import { createFloodNote } from "./flood-note.ts";
import { keepConnection } from "./kept-connection.ts";
import { createLeases } from "./leases.ts";
import type { Lease } from "./link.ts";
import type { LinkDeps, LinkState, LinkWatcher, ManagedLink } from "./managed-link.ts";
import { createQuestionTime } from "./question-time.ts";

/** Manages one server's connection: which calls use it, and when the server must be left alone. */
export function createServerLink(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  deps: LinkDeps,
  watcher: LinkWatcher,
): ManagedLink {
  let retired = false;
  const leases = createLeases({ retire: (connection) => kept.replace(connection), coolDown });
  const cooldown = createCooldown(deps.clock);
  const questions = createQuestionTime(deps.clock);
  const floods = createFloodNote(deps.clock);
  const mayRetry = () => !retired && definition.reconnect === "auto";
  const linkDeps = { ...deps, questions, watcher, leases, cooldown, flooded, mayRetry };
  const kept = keepConnection(definition, knownEra, linkDeps);

  function lease(signal: StopSignal): Lease | Promise<Lease> {
    if (retired) throw new ConnectionError("unreachable", "the server was changed or removed in the configuration");
    const refusal = cooldown.refusal();
    if (refusal !== undefined) throw refusal;
    const connection = kept.current();
    if (connection !== undefined) return leases.take(connection);
    const tooEarly = kept.refusal();
    if (tooEarly !== undefined) throw tooEarly;
    return kept.open(signal).then(leases.take);
  }

  function coolDown(error: ConnectionError): void {
    // One tool's host asking to be left alone must not block calls to the others.
    if (hasHostPerTool(definition.launch)) return;
    cooldown.begin(error);
    const refusal = cooldown.refusal();
    if (refusal !== undefined && kept.current() !== undefined)
      watcher.statusChanged({ status: "connected", cause: refusal.message });
  }

  function flooded(flood: Flood): void {
    const text = floods.take(flood);
    watcher.flooded(text);
    if (kept.current() !== undefined && flood.kind === "paused")
      watcher.statusChanged({ status: "connected", cause: text });
  }

  function status(): LinkState {
    const state = kept.status();
    const cause = state.status === "connected" ? (cooldown.refusal()?.message ?? floods.current()) : undefined;
    return cause === undefined ? state : { ...state, cause };
  }

  return {
    definition,
    open: kept.open,
    lease,
    close: kept.close,
    async retire() {
      retired = true;
      const connection = kept.current();
      if (connection !== undefined) await leases.idle(connection);
      await kept.close();
    },
    end() {
      retired = true;
      return kept.close();
    },
    status,
    questionsMs: questions.openMs,
  };
}

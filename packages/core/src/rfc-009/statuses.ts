import { listen } from "../client/listen.ts";
import type { ConnectionStatus } from "../domain/connection.ts";
import type { Engine } from "../engine.ts";

export type StatusListener = (serverId: string, status: ConnectionStatus) => void;

/** What the app's servers are doing, as RFC-009 tells it: every change once, in order (S1.17, S1.20). */
export interface Statuses {
  get(serverId: string): ConnectionStatus;
  /** Announces a status unless it was the last one announced. */
  say(serverId: string, status: ConnectionStatus): void;
  /** Announces `error`, which stays until something else is said or the server is connected again. */
  fail(serverId: string): void;
  /** Asks the engine and announces what it says. */
  refresh(serverId: string): Promise<void>;
  /** S1.21: `connected` is announced when everything it promises is written, which is when the hold is released. */
  holdConnected(serverId: string): () => void;
  subscribe(listener: StatusListener): () => void;
}

export function createStatuses(engine: Engine): Statuses {
  const announced = new Map<string, ConnectionStatus>();
  const held = new Map<string, ConnectionStatus | undefined>();
  const failed = new Set<string>();
  const listeners = new Set<StatusListener>();

  function get(id: string): ConnectionStatus {
    return announced.get(id) ?? "disconnected";
  }

  function say(id: string, status: ConnectionStatus): void {
    if (status !== "error") failed.delete(id);
    if (held.has(id)) held.set(id, status);
    if (status === "connected" && held.has(id)) return;
    if (get(id) === status) return;
    announced.set(id, status);
    for (const listener of listeners) listener(id, status);
  }

  async function refresh(id: string): Promise<void> {
    const views = await engine.servers.list();
    const status = views.find(({ scope, key }) => scope === "app" && key === id)?.status;
    if (status === "disconnected" && failed.has(id)) return;
    say(id, status === undefined || status === "disabled" ? "disconnected" : status);
  }

  listen(engine, (event) => {
    if (event.type !== "connection-changed" || event.scope !== "app") return;
    // An edited server's old connection ends while its new one may be open already, so the engine is asked.
    if (event.status === "disconnected") void refresh(event.server);
    else say(event.server, event.status);
  });

  return {
    get,
    say,
    fail(id) {
      say(id, "error");
      failed.add(id);
    },
    refresh,
    holdConnected(id) {
      held.set(id, undefined);
      return () => {
        const last = held.get(id);
        held.delete(id);
        if (last !== undefined) say(id, last);
      };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

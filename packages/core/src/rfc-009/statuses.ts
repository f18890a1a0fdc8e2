import { listen } from "../client/listen.ts";
import type { ConnectionStatus } from "../domain/connection.ts";
import type { Engine } from "../engine.ts";

export type StatusListener = (serverId: string, status: ConnectionStatus) => void;

/** The connection statuses of the app's servers as RFC-009 reports them: every change once, in order. */
export interface Statuses {
  get(serverId: string): ConnectionStatus;
  /** Announces a status, unless it is the one announced last. */
  announce(serverId: string, status: ConnectionStatus): void;
  /** Announces `error`, which stays until another status is announced or the server is connected again. */
  fail(serverId: string): void;
  /** Asks the engine for the current status and announces it. */
  refresh(serverId: string): Promise<void>;
  /**
   * Holds `connected` back until the returned function is called: it may be announced only after the record is saved
   * (S1.21).
   */
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

  function announce(id: string, status: ConnectionStatus): void {
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
    announce(id, status === undefined || status === "disabled" ? "disconnected" : status);
  }

  listen(engine, (event) => {
    if (event.type !== "connection-changed" || event.scope !== "app") return;
    // The old connection of an edited server may end after the new one has opened, so the engine is asked.
    if (event.status === "disconnected") void refresh(event.server);
    else announce(event.server, event.status);
  });

  return {
    get,
    announce,
    fail(id) {
      announce(id, "error");
      failed.add(id);
    },
    refresh,
    holdConnected(id) {
      held.set(id, undefined);
      return () => {
        const last = held.get(id);
        held.delete(id);
        if (last !== undefined) announce(id, last);
      };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

import { delay } from "../async/delay.ts";
import { createCallsInFlight } from "../call/calls-in-flight.ts";
import type { Session, SessionOpening } from "../domain/session.ts";
import type { Access } from "../servers/access.ts";
import { createSessionAccess } from "./session-access.ts";
import { createSessionServers, type SessionServers, type SessionServersDeps } from "./session-servers.ts";

/** What one open session adds to the agent: servers of its own, which end when the session is closed. */
export interface Overlay extends Pick<SessionServers, "connecting" | "ready" | "missing"> {
  /** The session as it was opened; what was saved since is only in the store. */
  session(): Session;
  readonly access: Access;
  /** Applies what a door opened the session with. Resolves before its servers are up. */
  update(session: Session, opening: SessionOpening): Promise<void>;
  /** Cancels the session's calls and ends its servers. A second call waits for the first. */
  close(): Promise<void>;
}

export type OverlayDeps = Omit<SessionServersDeps, "guard">;

const CLOSE_WITHIN_MS = 2_000;

export function createOverlay(opened: Session, deps: OverlayDeps): Overlay {
  const { clock, hasher } = deps.ports;
  const flight = createCallsInFlight(clock, "the session was closed");
  const servers = createSessionServers(opened.id, { ...deps, guard: flight.guard });
  const { set, keeper, connecting, ready, missing } = servers;
  let session = opened;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    const ended = Promise.all([servers.end(), flight.cancel()]);
    const late = new AbortController();
    await Promise.race([ended, delay(CLOSE_WITHIN_MS, clock, late.signal)]);
    late.abort();
  }

  return {
    session: () => session,
    access: createSessionAccess({ agent: deps.agent, set, keeper, flight, hasher }),
    update(next, opening) {
      session = next;
      return servers.update(opening);
    },
    connecting,
    ready,
    missing,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

import type { SerialPerKey } from "../async/serial.ts";
import { type Answer, failed } from "../domain/failure.ts";
import type { Session, SessionOpening } from "../domain/session.ts";
import { canonicalJson } from "../json/json.ts";
import { secretsOf } from "../secrets/find-secrets.ts";
import { createOverlay, type Overlay, type OverlayDeps } from "./overlay.ts";
import { newSession } from "./transcript.ts";

/** The sessions that doors hold open, each with its overlay over the agent. */
export interface OpenSessions {
  open(opening: SessionOpening): Promise<Answer<Session>>;
  find(id: string | undefined): Overlay | undefined;
  /** Resolves to false if the session was not open, or was being closed already, in which case it waits for that. */
  close(id: string): Promise<boolean>;
  /** No session can be opened afterwards. */
  closeAll(): Promise<void>;
}

export interface OpenSessionsDeps extends Omit<OverlayDeps, "eras"> {
  /** Runs changes of one session one at a time. */
  readonly inTurn: SerialPerKey;
}

export function createOpenSessions({ inTurn, ...shared }: OpenSessionsDeps): OpenSessions {
  const { clock, newId, store, knownSecrets } = shared.ports;
  const overlayDeps: OverlayDeps = { ...shared, eras: new Map() };
  const overlays = new Map<string, Overlay>();
  const closing = new Map<string, Promise<void>>();
  let isStopped = false;

  async function toSession(opening: SessionOpening): Promise<Session | undefined> {
    const { id, wantedId, title = "", gpt, model, folders } = opening;
    const chosen = {
      ...(gpt !== undefined && { gpt }),
      ...(model !== undefined && { model }),
      ...(folders !== undefined && { folders }),
    };
    if (id === undefined) {
      const begun = newSession(knownSecrets.redact(title), wantedId ?? newId(), new Date(clock.now()).toISOString());
      return { ...begun, ...chosen };
    }
    const saved = await store.sessions.load(id);
    if (saved === undefined) {
      const begun = overlays.get(id)?.session();
      return begun === undefined ? undefined : { ...begun, ...chosen };
    }
    const session = { ...saved, ...chosen };
    if (canonicalJson(session) !== canonicalJson(saved)) await store.sessions.save(session);
    return session;
  }

  async function isTaken(id: string): Promise<boolean> {
    return overlays.has(id) || (await store.sessions.load(id)) !== undefined;
  }

  async function open(opening: SessionOpening): Promise<Answer<Session>> {
    const { id, wantedId } = opening;
    if (id === undefined && wantedId !== undefined && (await isTaken(wantedId)))
      return failed("conflict", `There is a session '${wantedId}' already`);
    // Added before the session gets its title, which may contain a secret.
    knownSecrets.add(opening.servers.flatMap(secretsOf));
    const session = await toSession(opening);
    if (session === undefined)
      return failed(
        "not-found",
        `There is no session '${id}'. It may have been removed, or belong to another data folder`,
      );
    if (isStopped) return failed("unavailable", "Tacklebox is stopping");
    const overlay = overlays.get(session.id) ?? createOverlay(session, overlayDeps);
    overlays.set(session.id, overlay);
    await overlay.update(session, opening);
    return { kind: "ok", value: session };
  }

  async function close(id: string): Promise<boolean> {
    const overlay = overlays.get(id);
    overlays.delete(id);
    if (overlay !== undefined) {
      const closed = overlay.close().finally(() => {
        // The session may have been opened and closed again in the meantime.
        if (closing.get(id) === closed) closing.delete(id);
      });
      closing.set(id, closed);
    }
    await closing.get(id);
    return overlay !== undefined;
  }

  return {
    open(opening) {
      const id = opening.id ?? opening.wantedId;
      return id === undefined ? open(opening) : inTurn(id, () => open(opening));
    },
    find: (id) => (id === undefined ? undefined : overlays.get(id)),
    close,
    async closeAll() {
      isStopped = true;
      await Promise.all([...closing.values(), ...Array.from(overlays.keys(), close)]);
    },
  };
}

import type { ClientSession, ClientSessions } from "../client-sessions.ts";
import type { LazyDoor } from "../lazy-door.ts";
import type { RpcReply } from "../rpc/peer.ts";
import { toConfigOptions } from "../settings.ts";

/** Handles one method of the protocol. */
export type Method = (params: unknown, signal: AbortSignal) => Promise<RpcReply>;
export type Methods = Readonly<Record<string, Method>>;

/** Shared by all methods of one client. */
export interface MethodDeps {
  readonly door: LazyDoor;
  readonly sessions: ClientSessions;
  readonly notify: (sessionId: string, update: object) => void;
}

export function sendSettings({ id, settings }: ClientSession, { door, notify }: Omit<MethodDeps, "sessions">): void {
  notify(id, { sessionUpdate: "config_option_update", configOptions: toConfigOptions(settings, door.choices()) });
}

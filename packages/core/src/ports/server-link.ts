import type { Connection } from "./connector.ts";

/** The engine's hold on one server, whatever its connection is doing at the moment. */
export interface ServerLink {
  /** A live connection for one call, opened now if need be. Rejects with ConnectionError; nothing was sent then. */
  lease(signal: AbortSignal): Promise<Lease>;
}

export interface Lease {
  readonly connection: Connection;
  /** The call is over. Safe to say twice. */
  release(): void;
  /**
   * The server will not let go of this call: new calls get a fresh connection, this one is closed once the
   * other calls on it are over. Settles when it is closed.
   */
  abandon(): Promise<void>;
}

import type { StopSignal } from "../../async/stop.ts";
import type { ConnectionError } from "../../domain/connection.ts";
import type { Connection } from "../../ports/connector.ts";

/** The engine's hold on one server, whatever its connection is doing at the moment. */
export interface ServerLink {
  /**
   * Lends a live connection to one call: synchronously if one is open, otherwise after opening it.
   * Throws or rejects with ConnectionError, in which case nothing was sent.
   */
  lease(signal: StopSignal): Lease | Promise<Lease>;
  /** The total time the server has waited for a person to answer its questions. Absent if it cannot ask. */
  questionsMs?(): number;
}

export interface Lease {
  readonly connection: Connection;
  /** Ends the lease when the call is over. Idempotent. */
  release(): void;
  /**
   * Gives up on a call that the server does not end: new calls get a fresh connection, and this one is closed once the
   * other calls on it are over. Settles when it is closed.
   */
  abandon(): Promise<void>;
  /**
   * Reports that the server asked to be left alone (`retryAfterMs`): until then calls are refused without asking it.
   */
  coolDown(error: ConnectionError): void;
}

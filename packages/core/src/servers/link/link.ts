import type { StopSignal } from "../../async/stop.ts";
import type { ConnectionError } from "../../domain/connection.ts";
import type { Connection } from "../../ports/connector.ts";

/** The engine's hold on one server, whatever its connection is doing at the moment. */
export interface ServerLink {
  /**
   * A live connection for one call, opened now if need be, at once where it is open.
   * Throws or rejects with ConnectionError; nothing was sent then.
   */
  lease(signal: StopSignal): Lease | Promise<Lease>;
  /** How long, all in all, the server has waited for a person to answer its questions. Absent: never. */
  questionsMs?(): number;
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
  /** The server asked to be left alone (`retryAfterMs`): calls until then are refused without asking it. */
  coolDown(error: ConnectionError): void;
}

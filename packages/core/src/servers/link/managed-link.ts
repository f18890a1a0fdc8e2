import type { StopSignal } from "../../async/stop.ts";
import type { ConnectionError, ConnectionRetry, ConnectionStatus, ServerInfo } from "../../domain/connection.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Advice } from "../../ports/advice.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Connection, Connector, OpenOptions } from "../../ports/connector.ts";
import type { KnownSecrets, Redactor } from "../../ports/known-secrets.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Vault } from "../../ports/vault.ts";
import type { ServerLink } from "./link.ts";

export interface LinkDeps {
  readonly connectors: readonly Connector[];
  readonly clock: Clock;
  readonly vault: Vault | undefined;
  readonly advice?: Pick<Advice, "storeSecret"> | undefined;
  readonly knownSecrets: KnownSecrets;
  /** Told what an operator should know about the launch. */
  readonly warn?: (text: string) => void;
  readonly openOptions: (definition: ServerDefinition) => ServerSideOptions;
  /** Settles when the engine has started; a server that failed before is retried only afterwards. */
  readonly started: Promise<void>;
  readonly place: Ports["place"];
}

/** The server's requests and notifications, other than about tools, that the engine handles on every connection. */
export type ServerSideOptions = Pick<
  OpenOptions,
  "onOffersChanged" | "onResourceUpdated" | "elicit" | "roots" | "onOddity"
>;

/** A link with the methods of its owner: calls only lease connections, the owner opens and closes them. */
export interface ManagedLink extends ServerLink {
  readonly definition: ServerDefinition;
  status(): LinkState;
  /** Opens a connection unless one is open; concurrent calls share one attempt. Rejects with ConnectionError. */
  open(signal: StopSignal): Promise<Connection>;
  /** Closes the connection, which stays closed until it is opened again. */
  close(): Promise<void>;
  /** Refuses new calls and closes once the running calls are over. */
  retire(): Promise<void>;
  /** Closes for good and interrupts running calls. */
  end(): Promise<void>;
}

/** A link whose server's tools are listed. */
export interface ListedLink extends ManagedLink {
  /** Whether the server has listed its tools or failed to connect, at least once. */
  wasTried(): boolean;
}

export interface LinkState {
  readonly status: ConnectionStatus;
  /** Why the server is down, or, if it is up, why it refuses calls for a while or is slow. */
  readonly cause?: string;
  /** How its last attempt to connect failed, also while it tries again. */
  readonly failure?: Pick<ConnectionError, "code" | "message">;
  readonly info?: ServerInfo;
  readonly retry?: ConnectionRetry;
}

export interface OpenedLink {
  readonly connection: Connection;
  /**
   * Redacts only the secrets this server was given, so that other servers' secrets never change its tool definitions.
   */
  readonly redact: Redactor;
}

export interface LinkWatcher {
  readonly statusChanged: (state: Omit<LinkState, "info" | "failure">) => void;
  /** Called when a connection is ready, and awaited before calls may use it, so that they see its tools. */
  readonly opened: (opened: OpenedLink) => Promise<void>;
  readonly toolsChanged: (opened: OpenedLink) => void;
  readonly serverLogged: (line: string) => void;
  /** Called with what a server did that sent more than it may, to follow its name. */
  readonly flooded: (text: string) => void;
}

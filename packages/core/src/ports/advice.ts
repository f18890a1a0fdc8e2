/**
 * Tells people what they can do next, in terms of the program that hosts the engine: core knows no commands or
 * folders. Without it, messages say what happened and leave the next step to the program that shows them.
 */
export interface Advice {
  /** The command that accepts what changed about a server's tools. */
  trust(server: string): string;
  /** The command that shows the tools of a server, or of all servers. */
  showTools(server: string | undefined): string;
  /** The command that enables a server. */
  enable(server: string): string;
  /** The command that shows the status of every server. */
  readonly showServers: string;
  /** The command that stores a secret. */
  storeSecret(name: string): string;
  /** A sentence, without its full stop, for when the call log cannot be written. */
  readonly repairCallLog: string;
}

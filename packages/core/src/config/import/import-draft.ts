/** A server of another program's file, ready to be written into ours. Nothing about it was started or looked up. */
export interface ImportDraft {
  readonly name: string;
  /** As our own files spell it, switched off, with references where secrets were. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secrets: readonly ImportedSecret[];
  readonly shown: ShownLaunch;
  /** Why it stays off even when the others are switched on. */
  readonly heldBack?: string;
}

export interface ImportedSecret {
  /** What `${secret:NAME}` in the entry calls it. */
  readonly name: string;
  /** Where in the entry it stands, such as `header Authorization`. */
  readonly where: string;
  /** For the vault only. Absent when the other program asks a person for it. */
  readonly value?: string;
  /** What the other program says when it asks. */
  readonly hint?: string;
}

/** What a person has to see before agreeing to a server: all of it, and no secret. */
export interface ShownLaunch {
  /** The program and each of its arguments. */
  readonly command?: readonly string[];
  readonly url?: string;
  /** Names of variables the server is given. */
  readonly env: readonly string[];
  /** Names of variables that are read from this machine's environment. */
  readonly reads: readonly string[];
  readonly cwd?: string;
}

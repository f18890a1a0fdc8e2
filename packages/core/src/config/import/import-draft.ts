/** A server of another program's file, ready to be written into ours. Nothing has been started or looked up for it. */
export interface ImportDraft {
  readonly name: string;
  /** The entry in our own syntax, disabled, with references in place of secrets. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secrets: readonly ImportedSecret[];
  readonly shown: ShownLaunch;
  /** Why it stays disabled even if the others are enabled. */
  readonly heldBack?: string;
}

export interface ImportedSecret {
  /** The NAME of `${secret:NAME}` in the entry. */
  readonly name: string;
  /** Its place in the entry, such as `header Authorization`. */
  readonly where: string;
  /** For the vault only. Absent if the other program asks a person for it. */
  readonly value?: string;
  /** The other program's prompt when it asks. */
  readonly hint?: string;
}

/** What a person has to see before enabling a server: all of its launch, without secrets. */
export interface ShownLaunch {
  /** The program and each of its arguments. */
  readonly command?: readonly string[];
  readonly url?: string;
  /** Names of the variables that are set for the server. */
  readonly env: readonly string[];
  /** Names of the variables that are read from this machine's environment. */
  readonly reads: readonly string[];
  readonly cwd?: string;
}

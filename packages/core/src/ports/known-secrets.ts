/** Strikes known secrets out of a text. */
export interface Redactor {
  (text: string): string;
  /** True while there is nothing to strike out, so that large values need not be walked for nothing. */
  readonly idle?: boolean;
  /**
   * For a text that goes on: how much of it can be told already. What is behind may be the beginning of a secret. Absent:
   * all of it.
   */
  readonly cutAt?: (text: string) => number;
}

/** Every secret this process has seen, struck out of whatever leaves it. One per process, shared by engine and logs. */
export interface KnownSecrets {
  add(secrets: readonly string[]): void;
  readonly redact: Redactor;
  /** Another number whenever there is more to strike out, for whoever keeps what was made clean. */
  version(): number;
}

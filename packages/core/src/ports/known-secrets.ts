/** Redacts known secrets in a text. */
export interface Redactor {
  (text: string): string;
  /** True while there is nothing to redact, so that large values need not be traversed in vain. */
  readonly idle?: boolean;
  /** Whether a number is a secret that consists of digits: parsed as JSON, it is not a text any more. */
  readonly isNumber?: (value: number) => boolean;
  /**
   * For a text that is still growing: how many characters of it are safe to send. The rest may be the beginning of a
   * secret. If absent, the whole text is safe.
   */
  readonly cutAt?: (text: string) => number;
}

/** Every secret this process has seen, to be redacted in all its output. One per process, shared by engine and logs. */
export interface KnownSecrets {
  /** `holder` says where people find these secrets. It is shown to whoever uses the engine, and never holds a value. */
  add(secrets: readonly string[], holder?: string): void;
  readonly redact: Redactor;
  /** The holder of a secret that is in the text, if there is one and its holder is known. */
  holderOf(text: string): string | undefined;
  /** Changes whenever a secret is added, so that caches of redacted values can be invalidated. */
  version(): number;
}

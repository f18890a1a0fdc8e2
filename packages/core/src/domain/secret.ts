/** What is known about a secret without its value. */
export interface SecretSummary {
  readonly name: string;
  /** ISO time of the last change. */
  readonly updatedAt: string;
}

/** A secret without its value. */
export interface SecretSummary {
  readonly name: string;
  /** ISO 8601 time of the last change. */
  readonly updatedAt: string;
}

/** What the chain shows about the call log. */
export interface ChainReport {
  /** Calls that are as they were when they ended. */
  readonly verified: number;
  /** Calls that are as they were when the chain began; they had ended before. */
  readonly before: number;
  /** Calls that were removed by the rules of the config. */
  readonly removed: number;
  /** Calls that have not ended, which the chain does not cover yet. */
  readonly open: number;
  readonly links: number;
  /** The last link. Whoever keeps its hash elsewhere can show later that nothing up to it was changed. */
  readonly head: { readonly hash: string; readonly at: string } | undefined;
  /** When the oldest link was written. */
  readonly since: string | undefined;
  /** Set if the file was repaired when the chain began. `head`: the last hash of the chain before, if it was readable. */
  readonly repaired: RepairNote | undefined;
  /**
   * Whether the expected hash is in the chain; `before-repair` if it is the head that the chain had when the file was
   * repaired. Undefined if none was given.
   */
  readonly expected: "found" | "before-repair" | "not-found" | undefined;
  /** The first of them. */
  readonly broken: readonly Break[];
  readonly brokenCount: number;
}

export interface RepairNote {
  readonly at: string;
  readonly kept: number;
  readonly lost: number;
  /** Calls that were kept although they were not as they had been recorded. */
  readonly changed: number;
  readonly head: string | null;
}

/** Something that is not as the chain says. */
export interface Break {
  readonly kind: "changed" | "missing" | "unrecorded" | "link";
  readonly text: string;
  readonly call?: BrokenCall;
}

export interface BrokenCall {
  readonly id: string;
  /** Unknown, like the rest, if the call is gone. */
  readonly server?: string;
  readonly tool?: string;
  readonly startedAt?: string;
}

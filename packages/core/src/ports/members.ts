/** How often a member records that it is alive. */
export const BEAT_EVERY_MS = 10_000;

/** Five missed beats are tolerated. */
export const STALE_AFTER_MS = 60_000;

/** One process that writes to a store. */
export interface Member {
  /** The owner in its call records. Never reused. */
  readonly id: string;
  /** Identifies where pids are comparable: one boot of one machine, or of one container on it. */
  readonly host: string;
  readonly pid: number;
  /** When the process started, to detect a reused pid. Only compared for equality; absent if unknown. */
  readonly start?: string;
}

/** A member as others find it in the store. */
export interface KnownMember extends Member {
  /** Milliseconds since the epoch. */
  readonly beatAt: number;
}

/**
 * The processes that write to the store. A process becomes a member with its first write, in the same transaction, so
 * one that only reads leaves no trace. It leaves when the store is closed.
 *
 * A member that others declared dead writes nothing more: its open calls have been ended, and later writes would
 * contradict that. Every write then rejects with StoreError `declared-dead`; reading still works.
 */
export interface Members {
  /** The id of the member this store writes as. */
  readonly id: string;
  /** Records that this member is alive; does nothing before the first write. Rejects like other writes. */
  beat(): Promise<void>;
}

/** What this host knows about processes. */
export interface ProcessTable {
  /** Returns `elsewhere` for a member of another host, about which nothing is known here. */
  look(member: Member): "alive" | "dead" | "elsewhere";
  /** For an owner of calls that is not a member: it left properly, or it wrote before members were recorded. */
  isOwnerAlive(owner: string): boolean;
}

/** What a store needs to be a member. */
export interface MemberDeps {
  readonly member: Member;
  readonly processes: ProcessTable;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * The process table takes precedence: a running process of this host is alive whatever the clock says, so that a wrong
 * clock never makes one process end the calls of another on the same host, and one that ended is gone at once. Beats
 * count for members of other hosts only, whose clocks must agree to within the tolerated delay. A beat from the future
 * counts as fresh, because calls that stay open too long do less harm than a member wrongly declared dead.
 */
export function isGone(member: KnownMember, { processes, now }: Omit<MemberDeps, "member">): boolean {
  const seen = processes.look(member);
  if (seen !== "elsewhere") return seen === "dead";
  return now() - member.beatAt > STALE_AFTER_MS;
}

import { isGone, type KnownMember, type MemberDeps, type Members } from "../../ports/members.ts";
import { declaredDead } from "../../ports/store-error.ts";

export interface MemoryMembers extends Members {
  /** Must be called before every write: joins on the first, and throws if this member was declared dead. */
  admit(): void;
  /** Other members that are gone. */
  gone(): readonly KnownMember[];
  /** Whether the owner of a call is not a member and its process has ended. */
  isDeadNonMember(owner: string): boolean;
  leave(): void;
}

export function createMemoryMembers(deps: MemberDeps, known: Map<string, KnownMember>): MemoryMembers {
  const { member, processes, now } = deps;
  const { id } = member;
  let hasJoined = false;

  function note(): void {
    known.set(id, { ...member, beatAt: now() });
  }

  function admit(): void {
    if (hasJoined && !known.has(id)) throw declaredDead("memory");
    if (!hasJoined) note();
    hasJoined = true;
  }

  return {
    id,
    async beat() {
      if (!hasJoined) return;
      admit();
      note();
    },
    admit,
    gone: () => [...known.values()].filter((other) => other.id !== id && isGone(other, deps)),
    isDeadNonMember: (owner) => owner !== id && !known.has(owner) && !processes.isOwnerAlive(owner),
    leave() {
      known.delete(id);
    },
  };
}

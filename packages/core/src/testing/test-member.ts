import type { Member, ProcessTable } from "../ports/members.ts";

export function testMember(id = "test", changes: Partial<Member> = {}): Member {
  return { id, host: "here", pid: 1, start: "0", ...changes };
}

/** Process tables in which every process is alive, or none is. */
export const allAlive: ProcessTable = { look: () => "alive", isOwnerAlive: () => true };
export const allDead: ProcessTable = { look: () => "dead", isOwnerAlive: () => false };

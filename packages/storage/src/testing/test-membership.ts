import type { MemberDeps } from "@tacklebox/core";
import { allDead, testMember } from "@tacklebox/core/testing";

/** A member for which all other processes are dead. */
export function testMembership(id = "mine"): MemberDeps {
  return { member: testMember(id), processes: allDead, now: () => 0 };
}

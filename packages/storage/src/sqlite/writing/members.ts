import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { declaredDead, isGone, type KnownMember, type MemberDeps } from "@tacklebox/core";
import { prepareLazily } from "../prepare-lazily.ts";
import type { MembersTable } from "../tables.ts";
import type { Admission } from "./group-writer.ts";

/** The processes that write to the file. A member learns that it was declared dead by its missing row. */
export interface MemberRows extends Pick<Admission, "committed"> {
  /**
   * Must be called at the start of the transaction. Throws if this process was declared dead. `isAsLeft`: no other
   * connection has written since `committed` was last called.
   */
  admit(isAsLeft: boolean): void;
  /** Must be called in a transaction. */
  beat(): void;
  hasJoined(): boolean;
  /** Other members that are gone. */
  gone(): readonly KnownMember[];
  /** Must be called in a transaction that also ends the member's calls. */
  remove(id: string): void;
  leave(): void;
}

const JOIN = `
  INSERT INTO members (id, host, pid, start, beat_at, chains) VALUES (?, ?, ?, ?, ?, 1)
  ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`;
const FIND = "SELECT 1 FROM members WHERE id = ?";
const BEAT = "UPDATE members SET beat_at = ? WHERE id = ?";
const OTHERS = "SELECT * FROM members WHERE id != ?";
const REMOVE = "DELETE FROM members WHERE id = ?";

export function createMemberRows(database: DatabaseSyncInstance, file: string, deps: MemberDeps): MemberRows {
  const { member, now } = deps;
  const join = prepareLazily(database, JOIN);
  const find = prepareLazily(database, FIND);
  const beat = prepareLazily(database, BEAT);
  const remove = prepareLazily(database, REMOVE);
  let hasJoined = false;

  return {
    admit(isAsLeft) {
      if (!hasJoined) join().run(member.id, member.host, member.pid, member.start ?? null, now());
      else if (!isAsLeft && find().get(member.id) === undefined) throw declaredDead(file);
    },
    committed() {
      hasJoined = true;
    },
    beat: () => void beat().run(now(), member.id),
    hasJoined: () => hasJoined,
    gone() {
      const others: readonly MembersTable[] = database.prepare(OTHERS).all(member.id);
      return others.map(fromRow).filter((other) => isGone(other, deps));
    },
    remove: (id) => void remove().run(id),
    leave() {
      if (!hasJoined) return;
      try {
        // Not synced, since that would make every short command slower by one commit. The checkpoint that follows syncs
        // it anyway, and if the row reappears after a power cut, its process is found to be dead.
        database.exec("PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL");
        remove().run(member.id);
      } catch {
        // Another process is writing, or the file cannot be written. The next recovery finds that this process has
        // ended.
      }
    },
  };
}

function fromRow({ id, host, pid, start, beat_at }: MembersTable): KnownMember {
  return { id, host, pid, ...(start !== null && { start }), beatAt: beat_at };
}

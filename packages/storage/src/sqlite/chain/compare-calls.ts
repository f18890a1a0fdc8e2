import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Break, BrokenCall } from "./chain-report.ts";
import { digestRow, type LoggedCall } from "./row-digest.ts";

/** Compares calls with the entries of the chain, which must be passed in their order. */
export interface CallComparison {
  recorded(kind: "ended" | "before", id: string, digest: string, at: string): void;
  answeredLate(id: string, digest: string, at: string): void;
  /** Returns false if no earlier entry was about this call. */
  removed(id: string): boolean;
  /** Calls that are as the chain says, and those that are not. */
  result(): { readonly ended: number; readonly before: number; readonly breaks: readonly Break[] };
}

interface Doubt {
  readonly kind: "ended" | "before";
  /** What the call was when it ended. */
  readonly digest: string;
  readonly found: Break;
}

const CALL = "SELECT * FROM calls WHERE id = ?";

export function compareCalls(database: DatabaseSyncInstance): CallComparison {
  const findCall = database.prepare(CALL);
  const counts = { ended: 0, before: 0 };
  /** Calls that are not as an entry says. A later entry may explain it: a late answer, or the removal of the call. */
  const doubts = new Map<string, Doubt>();

  return {
    recorded(kind, id, digest, at) {
      counts[kind] += 1;
      look(kind, id, digest, at);
    },
    answeredLate(id, digest, at) {
      const doubt = doubts.get(id);
      const row = load(id);
      // Without a doubt and without a row, the call ended in a link that was folded.
      if (doubt === undefined && row === undefined) return;
      // A late answer adds its time and changes nothing else, so it explains no other change.
      if (doubt !== undefined && row !== undefined && digestRow({ ...row, late_answer_at: null }) !== doubt.digest)
        return;
      doubts.delete(id);
      look(doubt?.kind ?? "ended", id, digest, at, doubt?.digest);
    },
    removed(id) {
      const doubt = doubts.get(id);
      if (doubt === undefined) return false;
      doubts.delete(id);
      counts[doubt.kind] -= 1;
      return true;
    },
    result() {
      const breaks = [...doubts.values()];
      const wrong = (kind: Doubt["kind"]) => breaks.filter((doubt) => doubt.kind === kind).length;
      return {
        ended: counts.ended - wrong("ended"),
        before: counts.before - wrong("before"),
        breaks: breaks.map(({ found }) => found),
      };
    },
  };

  function load(id: string): LoggedCall | undefined {
    const row: LoggedCall | undefined = findCall.get(id);
    return row;
  }

  /** `endedAs` is the digest of its end, if a later entry is looked at. */
  function look(kind: Doubt["kind"], id: string, digest: string, at: string, endedAs = digest): void {
    const row = load(id);
    if (row === undefined) {
      const text = `It is gone, and nothing recorded its removal. Its end was recorded at ${at}.`;
      doubts.set(id, { kind, digest: endedAs, found: { kind: "missing", text, call: { id } } });
    } else if (digestRow(row) !== digest) {
      const text = `Its row has changed since it was recorded at ${at}.`;
      doubts.set(id, { kind, digest: endedAs, found: { kind: "changed", text, call: describeCall(row) } });
    }
  }
}

export function describeCall({ id, server, tool_name, started_at }: LoggedCall): BrokenCall {
  return { id, server, tool: tool_name, startedAt: started_at };
}

import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Reading a time may mean reading past a long result, so few rows are looked at, and no index is kept for this. */
const AT = "SELECT seq, started_at FROM calls WHERE seq <= ? ORDER BY seq DESC LIMIT 1";

/** Several, because the very first call may have been recorded under a wrong clock. */
const AMONG_FIRST = `
  SELECT seq, started_at FROM (SELECT seq, started_at FROM calls ORDER BY seq LIMIT 16)
  WHERE started_at < ? LIMIT 1`;

interface StartedRow {
  readonly seq: number;
  readonly started_at: string;
}

/** See CallLog.newestBefore. Halves the range in which the searched row must be until only that row is left. */
export function newestBefore(database: DatabaseSyncInstance, time: string): string | undefined {
  const at = database.prepare(AT);
  const last: StartedRow | undefined = at.get(Number.MAX_SAFE_INTEGER);
  if (last === undefined || last.started_at < time) return last?.started_at;
  let found: StartedRow | undefined = database.prepare(AMONG_FIRST).get(time);
  if (found === undefined) return undefined;
  let low = found.seq;
  let high = last.seq;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const row: StartedRow | undefined = at.get(middle);
    if (row !== undefined && row.started_at < time) {
      found = row;
      low = middle;
    } else high = middle;
  }
  return found.started_at;
}

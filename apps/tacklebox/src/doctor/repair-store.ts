import { callLogFile } from "../open-store.ts";
import { repairStore } from "../store-upkeep.ts";
import type { DoctorFinding } from "./finding.ts";

const VERIFY = "To see what the new file holds: tacklebox calls verify";

/** What people call the contents of a table. */
const NAMES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  calls: ["call", "calls"],
  secrets: ["secret", "secrets"],
  sessions: ["session", "sessions"],
  session_messages: ["message of a session", "messages of sessions"],
  grants: ["grant", "grants"],
  gpts: ["GPT", "GPTs"],
};

/** Repairs the store and says what was kept and what was lost. */
export async function repair(folder: string): Promise<readonly DoctorFinding[]> {
  const file = callLogFile(folder);
  const done = await repairStore(folder);
  switch (done.kind) {
    case "sound":
      return [{ about: "data", verdict: "ok", text: `${file} is sound: there is nothing to repair.` }];
    case "missing":
      return [{ about: "data", verdict: "ok", text: `There is no ${file}: there is nothing to repair.` }];
    case "in-use": {
      const next = "Stop every process that uses this data folder, then try again.";
      return [{ about: "data", verdict: "problem", text: `Another process uses ${file}. Nothing was changed.`, next }];
    }
    case "another-program": {
      const next = "Name another data folder with TACKLEBOX_DATA.";
      const text = `${file} is a database of another program. Nothing was changed.`;
      return [{ about: "data", verdict: "problem", text, next }];
    }
    case "finished": {
      const text = `An interrupted repair is finished. The damaged file is kept: ${done.damaged}`;
      return [{ about: "data", verdict: "ok", text, next: VERIFY }];
    }
    case "repaired": {
      const kept = done.tables.flatMap(({ table, kept: count }) => describe(table, count));
      const torn = done.tables.filter(({ isComplete }) => !isComplete).flatMap(({ table }) => NAMES[table]?.[1] ?? []);
      return [
        { about: "data", verdict: "ok", text: `A new ${file} holds what could be read: ${list(kept)}.`, next: VERIFY },
        ...describeLoss(torn, done.lostCalls),
        ...describeChanged(done.changedCalls),
        { about: "data", verdict: "ok", text: `The damaged file is kept: ${done.damaged}` },
      ];
    }
  }
}

function describeLoss(torn: readonly string[], lostCalls: number): readonly DoctorFinding[] {
  if (torn.length === 0 && lostCalls === 0) return [];
  const known = lostCalls === 0 ? "" : ` ${describe("calls", lostCalls).join("")} known to be lost.`;
  const unread = torn.length === 0 ? "" : ` Not all could be read of: ${torn.join(", ")}.`;
  const next = "If you have a copy of the data folder from before, restore it, or look up there what is missing.";
  return [{ about: "data", verdict: "warn", text: `${known}${unread}`.trim(), next }];
}

function describeChanged(count: number): readonly DoctorFinding[] {
  if (count === 0) return [];
  const text =
    count === 1
      ? "1 call was kept that is not as it was recorded: the damage or somebody changed it, or somebody added it."
      : `${count} calls were kept that are not as they were recorded: the damage or somebody changed or added them.`;
  const next = "Compare them with a copy of the data folder from before, if there is one: tacklebox calls --json";
  return [{ about: "data", verdict: "problem", text, next }];
}

function describe(table: string, count: number): readonly string[] {
  const names = NAMES[table];
  if (names === undefined || count === 0) return [];
  return [`${count} ${count === 1 ? names[0] : names[1]}`];
}

function list(parts: readonly string[]): string {
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

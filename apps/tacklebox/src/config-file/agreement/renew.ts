import type { CommandEnvironment } from "../../io.ts";
import type { Replacement } from "../edit-file.ts";
import { type FilePlace, placeOf, placeOfFile } from "./file-place.ts";
import type { Allowed } from "./record.ts";
import { findRecord, saveRecord } from "./records.ts";
import { demandsOf, isFor, toAllowed } from "./require-agreement.ts";

/** What was agreed to, if it was this content of the file. */
export async function agreementTo(
  file: string,
  bytes: Uint8Array,
  environment: CommandEnvironment,
): Promise<Allowed | undefined> {
  const at = await placeOfFile(file);
  const found = await findRecord(at.place, environment);
  if (found.kind !== "found" || found.record.decision === "denied") return undefined;
  return isFor(found.record, at, bytes) ? found.record : undefined;
}

/**
 * Renews the agreement to a file while a command of ours replaces it: the person typed the change. `before` is what was
 * agreed to until now; undefined for a file that did not exist. Both contents count until the file is replaced.
 */
export function renewal(
  file: string,
  before: Allowed | undefined,
  environment: CommandEnvironment,
  onFault: (message: string) => Promise<void>,
): Replacement {
  let renewed: Allowed | undefined;
  return {
    async starts(bytes) {
      const shown = await demandsOf(file, bytes);
      if (shown.kind === "invalid") return onFault(shown.problems.join("\n"));
      const fresh = toAllowed(await placeFor(file, before), bytes, shown.demands);
      const fault = await saveRecord(before === undefined ? fresh : both(before, fresh), environment);
      if (fault !== undefined) return onFault(fault);
      renewed = fresh;
    },
    async ended() {
      if (renewed === undefined || before === undefined) return;
      const fault = await saveRecord(renewed, environment);
      if (fault !== undefined) await onFault(fault);
    },
  };
}

async function placeFor(file: string, before: Allowed | undefined): Promise<FilePlace> {
  if (before !== undefined) return before;
  const place = await placeOf(file);
  return { place, target: place };
}

function both(before: Allowed, fresh: Allowed): Allowed {
  const [old, now] = [before.demands, fresh.demands];
  const variables = [...new Set([...old.variables, ...now.variables])];
  const secrets = [...new Set([...old.secrets, ...now.secrets])];
  return { ...fresh, sha256: [...before.sha256, ...fresh.sha256], demands: { ...now, variables, secrets } };
}

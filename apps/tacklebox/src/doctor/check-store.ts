import { StoreError } from "@tacklebox/core";
import { callLogFile } from "../open-store.ts";
import { checkStore } from "../store-upkeep.ts";
import type { DoctorFinding } from "./finding.ts";

/** Checks the structure of the store, which a failing disk or a cut of power can break. */
export async function checkStructure(folder: string): Promise<DoctorFinding> {
  const file = callLogFile(folder);
  try {
    if ((await checkStore(folder)) === "sound") return { about: "data", verdict: "ok", text: `${file} is sound` };
    const text = `${file} is too large to be checked here.`;
    return { about: "data", verdict: "warn", text, next: "This reads every call: tacklebox calls verify" };
  } catch (error) {
    return toStoreFinding(error);
  }
}

/** Throws anything but a StoreError again. */
export function toStoreFinding(error: unknown): DoctorFinding {
  if (!(error instanceof StoreError)) throw error;
  return { about: "data", verdict: "problem", text: error.message };
}

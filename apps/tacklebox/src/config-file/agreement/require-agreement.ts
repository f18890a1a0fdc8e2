import type { ConfigDemands } from "@tacklebox/core";
import type { CommandEnvironment } from "../../io.ts";
import { type ReadBytes, readConfigBytes, type Unreadable, unreadable } from "../read-bytes.ts";
import { decodeConfig } from "../read-text.ts";
import { type FilePlace, placeOfFile } from "./file-place.ts";
import { type Allowed, toStored } from "./record.ts";
import { type FoundRecord, findRecord, saveRecord, sha256 } from "./records.ts";
import { cannotBeShown, type Unagreed, unagreed } from "./refusals.ts";

/** What a person is asked to agree to. */
export interface Proposal {
  readonly file: string;
  readonly demands: ConfigDemands;
  /** What was agreed to before the file changed. */
  readonly before: Allowed | undefined;
}

/** Asks a person; undefined where there is nobody to ask. */
export type AskToAgree = ((proposal: Proposal) => Promise<boolean>) | undefined;

export type Agreed =
  | {
      readonly kind: "allowed";
      /** The bytes that were agreed to. Whoever needs the file uses these and does not read it again. */
      readonly read: ReadBytes;
      readonly record: Allowed;
    }
  | Unreadable
  | Unagreed;

/**
 * Reads a file found in the current folder, once, and looks it up by its place and the hash of its bytes before
 * anything in it is interpreted. Asks about one that nobody agreed to, where somebody can be asked.
 */
export async function requireAgreement(
  file: string,
  environment: CommandEnvironment,
  ask: AskToAgree,
): Promise<Agreed> {
  const looked = await lookUp(file, environment);
  if (looked.kind === "unreadable") return looked;
  const { at, read, found } = looked;
  if (found.kind === "unusable") return unagreed(file, "doubtful", found.why);
  const before = found.kind === "found" ? found.record : undefined;
  if (before?.decision === "denied") return unagreed(file, "denied");
  if (before !== undefined && isFor(before, at, read.bytes)) return { kind: "allowed", read, record: before };
  if (ask === undefined) return unagreed(file, before === undefined ? "new" : "changed");

  const shown = await demandsOf(file, read.bytes);
  if (shown.kind === "invalid") return cannotBeShown(file, shown.problems);
  if (!(await ask({ file, demands: shown.demands, before }))) return unagreed(file, "declined");
  const record = toAllowed(at, read.bytes, shown.demands);
  const fault = await saveRecord(record, environment);
  return fault === undefined ? { kind: "allowed", read, record } : unagreed(file, "unrecorded", fault);
}

interface LookedUp {
  readonly kind: "ok";
  readonly at: FilePlace;
  readonly read: ReadBytes;
  readonly found: FoundRecord;
}

const MOST_READINGS = 5;

/**
 * Reads the file and what was decided about it. Does so again if the file was replaced in between, as by another
 * command of ours: the record may then be about the new content only.
 */
async function lookUp(file: string, environment: CommandEnvironment): Promise<LookedUp | Unreadable> {
  let looked = await lookUpOnce(file, environment);
  for (let count = 1; count < MOST_READINGS && looked.kind === "ok"; count += 1) {
    const { at, read, found } = looked;
    const isSettled =
      found.kind === "found" && found.record.decision === "allowed" && isFor(found.record, at, read.bytes);
    if (isSettled) return looked;
    const again = await lookUpOnce(file, environment);
    if (again.kind === "unreadable" || Buffer.compare(again.read.bytes, read.bytes) === 0) return again;
    looked = again;
  }
  return looked;
}

async function lookUpOnce(file: string, environment: CommandEnvironment): Promise<LookedUp | Unreadable> {
  // A link that leads nowhere has no place; reading it says so.
  const at = await placeOfFile(file).catch(() => undefined);
  const read = await readConfigBytes(file, "regular file", at?.target);
  if (read.kind === "unreadable") return read;
  if (at === undefined) return unreadable(file, "it was replaced just now");
  return { kind: "ok", at, read, found: await findRecord(at.place, environment) };
}

/** Whether the record is about this file with this content. */
export function isFor(record: Allowed, { place, target }: FilePlace, bytes: Uint8Array): boolean {
  return record.place === place && record.target === target && record.sha256.includes(sha256(bytes));
}

export function toAllowed({ place, target }: FilePlace, bytes: Uint8Array, demands: ConfigDemands): Allowed {
  const at = new Date().toISOString();
  return { decision: "allowed", place, target, sha256: [sha256(bytes)], at, demands: toStored(demands) };
}

export type ShownDemands =
  | { readonly kind: "ok"; readonly demands: ConfigDemands }
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

/** What the content asks for. Loads the parser only now, because most files were agreed to before. */
export async function demandsOf(file: string, bytes: Uint8Array): Promise<ShownDemands> {
  const decoded = decodeConfig(file, bytes);
  if (decoded.kind === "unreadable") return { kind: "invalid", problems: [decoded.message] };
  const { findDemands, formatConfigProblem } = await import("@tacklebox/core");
  const found = findDemands(decoded.text, file);
  return found.kind === "ok" ? found : { kind: "invalid", problems: found.problems.map(formatConfigProblem) };
}

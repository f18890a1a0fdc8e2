import { existsSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { isGone, type MemberDeps } from "@tacklebox/core";
import { createFile, syncPath } from "../file/create-file.ts";
import { repairMarkOf, walOf } from "../file/names.ts";
import { quickCheck } from "../file/quick-check.ts";
import { APPLICATION_ID, MIGRATIONS, migrate, readNumber } from "../migrations.ts";
import { toRepairError } from "../store-error.ts";
import { applyWal } from "./apply-wal.ts";
import { lockExclusively } from "./exclusive-lock.ts";
import { mendHeader } from "./mend-header.ts";
import { finishReplacing, type Replacement, readReplacement, replaceFile } from "./replace-file.ts";
import { type Salvaged, salvageDatabase } from "./salvage-database.ts";
import { takeTurn } from "./take-turn.ts";

export interface RepairOptions extends Pick<MemberDeps, "processes" | "now"> {
  readonly file: string;
}

export type Repair =
  /** The damaged file is kept under the name `damaged`. */
  | ({ readonly kind: "repaired"; readonly damaged: string } & Salvaged)
  /** An earlier repair was interrupted after everything had been read; its last step was done now. */
  | { readonly kind: "finished"; readonly damaged: string }
  | { readonly kind: "sound" }
  | { readonly kind: "missing" }
  | { readonly kind: "in-use" }
  | { readonly kind: "another-program" };

/**
 * Keeps what can be read of a damaged database in a new one, and the damaged one beside it. Works on a copy: until the
 * new file takes its place, nothing is changed, and a process that is killed loses nothing. Rejects with StoreError.
 */
export async function repairDatabase(options: RepairOptions): Promise<Repair> {
  const { file } = options;
  if (![file, walOf(file), repairMarkOf(file)].some((path) => existsSync(path))) return { kind: "missing" };
  try {
    const turn = takeTurn(file);
    if (turn === undefined) return { kind: "in-use" };
    try {
      return await repairInTurn(options);
    } finally {
      turn.release();
    }
  } catch (error) {
    throw toRepairError(file, error);
  }
}

async function repairInTurn(options: RepairOptions): Promise<Repair> {
  const { file } = options;
  const interrupted = await readReplacement(file);
  if (interrupted !== undefined) {
    await finishReplacing(file, interrupted);
    return { kind: "finished", damaged: join(dirname(file), interrupted.damaged) };
  }
  const work = `${file}.repairing`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { mode: 0o700 });
  try {
    return await repairIn(work, options);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function repairIn(work: string, { file, processes, now }: RepairOptions): Promise<Repair> {
  const copy = join(work, "damaged.db");
  const before = stateOf(file);
  const header = await copyWithWal(file, copy);
  // Locked only now: closing the handles that copied it would have released the lock.
  const lock = lockExclusively(file);
  if (lock === undefined || stateOf(file) !== before) {
    lock?.release();
    return { kind: "in-use" };
  }
  try {
    if (header === "foreign") return { kind: "another-program" };
    const found = header === "usable" ? examine(copy) : "damaged";
    if (found !== "damaged") return { kind: found };
    const repaired = join(work, "new.db");
    await createFile(repaired, (empty) => migrate(empty, MIGRATIONS));
    const salvaged = salvageDatabase(copy, repaired);
    if (salvaged.members.some((member) => !isGone(member, { processes, now }))) return { kind: "in-use" };
    await syncPath(repaired);
    const replacement = nameFiles(file, now());
    await rename(repaired, join(dirname(file), replacement.repaired));
    await replaceFile(file, replacement);
    return { kind: "repaired", damaged: join(dirname(file), replacement.damaged), ...salvaged };
  } finally {
    lock.release();
  }
}

function nameFiles(file: string, now: number): Replacement {
  const name = basename(file);
  const time = new Date(now).toISOString().replaceAll(/[:-]|\.\d+/g, "");
  const damaged = `${name}.damaged-${time}`;
  let [free, count] = [damaged, 1];
  while (existsSync(join(dirname(file), free))) free = `${damaged}-${++count}`;
  return { repaired: `${name}.repaired`, damaged: free };
}

/** Changes if anybody writes to the file. */
function stateOf(file: string): string {
  const stats = [file, walOf(file)].map((path) => statSync(path, { throwIfNoEntry: false }));
  return JSON.stringify(stats.map((stat) => stat && [stat.ino, stat.size, stat.mtimeMs]));
}

/** Returns whether SQLite could open the file at all; see mendHeader. */
async function copyWithWal(file: string, copy: string): Promise<ReturnType<typeof mendHeader>> {
  const isThere = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere) await copyFile(file, copy);
  else await writeFile(copy, "");
  await chmod(copy, 0o600);
  applyWal(walOf(file), copy);
  const header = mendHeader(copy);
  return isThere ? header : "mended";
}

function examine(copy: string): "sound" | "damaged" | "another-program" {
  const database = new DatabaseSync(copy);
  try {
    if (readNumber(database, "PRAGMA application_id") !== APPLICATION_ID) return "another-program";
    quickCheck(database, copy);
    return "sound";
  } catch {
    return "damaged";
  } finally {
    database.close();
  }
}

import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { CommandEnvironment } from "../../io.ts";
import { dataFolder } from "../folders.ts";
import { type AgreementRecord, parseRecord } from "./record.ts";

export type FoundRecord =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly record: AgreementRecord }
  /** It cannot be believed, so nothing counts as agreed to. */
  | { readonly kind: "unusable"; readonly why: string };

const OWNER_ONLY = 0o600;
const LARGEST_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * The file with the record about one place. Each place has a file of its own, which is replaced as a whole, so that
 * any number of processes can write without a lock.
 */
export function recordFile(place: string, environment: CommandEnvironment): string {
  return join(dataFolder(environment), "agreements", `${sha256(place)}.json`);
}

export async function findRecord(place: string, environment: CommandEnvironment): Promise<FoundRecord> {
  const file = recordFile(place, environment);
  const fault = whyDataCannotVouch(environment);
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    if (fault !== undefined) return { kind: "unusable", why: fault };
    const stats = await handle.stat();
    const isOurs = process.getuid === undefined || stats.uid === process.getuid();
    if (!isOurs || (process.platform !== "win32" && (stats.mode & 0o022) !== 0))
      return { kind: "unusable", why: `Others may write to ${file}, so it cannot be believed. Remove it.` };
    if (stats.size > LARGEST_RECORD_BYTES) return damaged(file);
    const record = parseRecord(await handle.readFile("utf8"));
    return record?.place === place ? { kind: "found", record } : damaged(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "none" };
    return { kind: "unusable", why: `${file} cannot be read (${code}), so nothing counts as agreed to.` };
  } finally {
    await handle?.close();
  }
}

/** Undefined when it is stored; otherwise why it could not be. */
export async function saveRecord(
  record: AgreementRecord,
  environment: CommandEnvironment,
): Promise<string | undefined> {
  const file = recordFile(record.place, environment);
  const fault = whyDataCannotVouch(environment);
  if (fault !== undefined) return fault;
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(join(dataFolder(environment), "agreements"), { recursive: true, mode: 0o700 });
    const handle = await open(draft, "wx", OWNER_ONLY);
    try {
      await handle.writeFile(`${JSON.stringify(record)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    return undefined;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    return `${file} cannot be written (${codeOf(error)}), so nothing was recorded.`;
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** A data folder relative to the current folder may have come with it, and the agreements in it too. */
function whyDataCannotVouch({ env }: CommandEnvironment): string | undefined {
  const chosen = env.TACKLEBOX_DATA;
  if (!chosen || isAbsolute(chosen)) return undefined;
  return `TACKLEBOX_DATA is '${chosen}', a folder that may have come with this one, so no agreement in it counts. Make it an absolute path.`;
}

function damaged(file: string): FoundRecord {
  return { kind: "unusable", why: `${file} is damaged, so nothing counts as agreed to.` };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}

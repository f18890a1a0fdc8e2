import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommandEnvironment } from "../../io.ts";
import { dataFolder } from "../folders.ts";
import { type AgreementRecord, parseRecord } from "./record.ts";
import { describeLink, whyFolderIsDoubtful, whyRecordIsDoubtful } from "./who-could-forge.ts";

export type FoundRecord =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly record: AgreementRecord }
  /** It cannot be believed, so no config file counts as agreed to. */
  | { readonly kind: "unusable"; readonly why: string };

const OWNER_ONLY = 0o600;
const LARGEST_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * The file with the record about one place. Each place has a file of its own, which is replaced as a whole, so that
 * any number of processes can write without a lock.
 */
export function recordFile(place: string, environment: CommandEnvironment): string {
  return join(recordsFolder(environment), `${sha256(place)}.json`);
}

function recordsFolder(environment: CommandEnvironment): string {
  return join(dataFolder(environment), "agreements");
}

export async function findRecord(place: string, environment: CommandEnvironment): Promise<FoundRecord> {
  const file = recordFile(place, environment);
  const fault = await whyFolderIsDoubtful(recordsFolder(environment));
  if (fault !== undefined) return { kind: "unusable", why: fault };
  let handle: FileHandle | undefined;
  try {
    // Neither follows a link nor waits for a pipe: whoever may put one there must not decide what is read.
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = await handle.stat();
    const doubt = whyRecordIsDoubtful(file, stats);
    if (doubt !== undefined) return { kind: "unusable", why: doubt };
    if (!stats.isFile() || stats.size > LARGEST_RECORD_BYTES) return damaged(file);
    const record = parseRecord(await handle.readFile("utf8"));
    return record?.place === place ? { kind: "found", record } : damaged(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "none" };
    if (code === "ELOOP" || code === "EMLINK") return { kind: "unusable", why: describeLink(file) };
    return { kind: "unusable", why: `${file} cannot be read (${code}), so no config file counts as agreed to.` };
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
  const folder = recordsFolder(environment);
  // What is stored there would not count, but the person would be told that it does.
  const fault = await whyFolderIsDoubtful(folder);
  if (fault !== undefined) return fault;
  const draft = `${file}.${randomUUID()}`;
  try {
    // Loaded only here, because every start reads agreements and hardly any writes one.
    const { createFolder } = await import("@tacklebox/storage/folders");
    await createFolder(folder);
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

function damaged(file: string): FoundRecord {
  return { kind: "unusable", why: `${file} is damaged, so no config file counts as agreed to.` };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}

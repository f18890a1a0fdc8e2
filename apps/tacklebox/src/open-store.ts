import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type CallLogSettings, type Store, StoreError } from "@tacklebox/core";
import type { SecretRecords } from "@tacklebox/storage/vault";
import { createMember, createProcessTable, readSystemFacts } from "./process-table.ts";

export interface HostRefused {
  readonly kind: "refused";
  readonly message: string;
}

/** The store, plus the sealed records of the vault, which only a vault can read. */
export interface ProgramStore extends Store {
  readonly secrets: SecretRecords;
}

export interface OpenedStore {
  readonly kind: "opened";
  readonly store: ProgramStore;
}

const SYNCHRONOUS = { full: "FULL", normal: "NORMAL" } as const;

export function callLogFile(dataFolder: string): string {
  return join(dataFolder, "tacklebox.db");
}

export interface StoreOptions {
  readonly durability?: CallLogSettings["durability"] | undefined;
  /** Receives a sentence about anything that other users could get at. */
  readonly warn?: (text: string) => void;
  /** Whether the caller only reads, and soon ends, so that it may lock others out where a full disk demands it. */
  readonly readsOnly?: boolean | undefined;
}

/** Opens the store of this program. This is the only place that decides which implementation it is. */
export async function openStore(
  dataFolder: string,
  { durability = "full", warn, readsOnly = false }: StoreOptions = {},
): Promise<OpenedStore | HostRefused> {
  const { openSqliteStore } = await import("@tacklebox/storage/sqlite");
  const facts = readSystemFacts();
  const file = callLogFile(dataFolder);
  try {
    const store = await openSqliteStore({
      file,
      member: createMember(process.pid, randomUUID(), facts),
      processes: createProcessTable(facts),
      now: Date.now,
      synchronous: SYNCHRONOUS[durability],
      userId: process.getuid?.(),
      warn,
      onFullDisk: readsOnly ? "read-alone" : "refuse",
    });
    return { kind: "opened", store };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const message = `${error.message}\nThe data folder is ${dataFolder}; TACKLEBOX_DATA names another.`;
    return { kind: "refused", message };
  }
}

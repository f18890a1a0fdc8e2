import type { CallQuery, CallRecord } from "../domain/call.ts";
import type { Era } from "../domain/server.ts";

/** Keeps everything durable except secrets. */
export interface Store {
  readonly calls: CallLog;
  readonly inventory: Inventory;
  close(): Promise<void>;
}

export interface CallLog {
  /**
   * Inserts the record, or replaces the row with its id. Resolves only when the row would survive a crash.
   * A row that is terminal (`success`, `error`) is never changed again: such a save is ignored.
   */
  save(record: CallRecord): Promise<void>;
  load(id: string): Promise<CallRecord | undefined>;
  /** Newest first. */
  list(query: CallQuery): Promise<readonly CallRecord[]>;
  /** Ends every open row whose owner is dead as `interrupted`; returns how many. Safe beside other processes. */
  recover(): Promise<number>;
}

/** What each server offered when it was last used; how "new", "removed" and "changed" are told (D.19). */
export interface Inventory {
  load(scope: string, server: string): Promise<ServerInventory | undefined>;
  save(inventory: ServerInventory): Promise<void>;
}

export interface ServerInventory {
  readonly scope: string;
  readonly server: string;
  readonly era?: Era;
  readonly tools: readonly InventoryTool[];
}

export interface InventoryTool {
  readonly name: string;
  /** The fingerprint people agreed to by using it first; a different one now means the tool changed. */
  readonly fingerprint: string;
}

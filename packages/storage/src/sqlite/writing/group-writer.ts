import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "@tacklebox/core";
import { RESULT_CODE, resultCode, toSyncError, toWriteError } from "../store-error.ts";
import type { WalSync } from "../wal/wal-sync.ts";
import { inTransaction } from "./in-transaction.ts";

/**
 * All writes go through here, in groups: writes requested within two turns of the event loop share one commit and one
 * fsync. While another process keeps the file locked, it waits without blocking the event loop.
 */
export interface GroupWriter {
  /**
   * Resolves after the commit. Work that fails does not affect the rest of its group, or later groups, where possible.
   * `work` runs later, in a transaction shared with others: it must hold its data serialized, and undo its own
   * statements before it throws if there are several (inSavepoint). Pass `onSettled` with work that starts something:
   * such work is settled before the others of its group, and `onSettled` is called before its promise settles.
   */
  write(work: () => void, wait?: GroupWait, onSettled?: (isWritten: boolean) => void): Promise<void>;
  /**
   * Sets a rule that is called for every group. If it returns true, half of the group is committed first, so that those
   * callers continue while the rest is written.
   */
  splitWhen(shouldSplit: (size: number) => boolean): void;
  /** Writes what is waiting and refuses all later writes. */
  close(): void;
}

/**
 * How long to wait for others to share the commit. `turns`: until the next turn of the event loop is over (with 64
 * callers, groups are a sixth smaller after one turn only, and waiting for three was no faster). `tick`: not even for
 * the current turn, for a caller that is alone.
 */
export type GroupWait = "turns" | "tick";

interface WaitingWork {
  work(): void;
  readonly onSettled: ((isWritten: boolean) => void) | undefined;
  resolve(): void;
  reject(error: StoreError): void;
}

/** What happens around every group. */
export interface Admission {
  /** Called at the start of the transaction. Throws if this process may not write at all. */
  admit(): void;
  /** Called at the end of the transaction, before the commit. */
  finish(): void;
  /** Called after an admitted group was committed. */
  committed(): void;
}

export interface GroupWriterOptions {
  readonly file: string;
  /** How long to wait for a lock that another process holds. */
  readonly busyTimeoutMs: number;
  /** Makes commits durable where SQLite takes too long to do so. */
  readonly walSync?: WalSync | undefined;
}

/** A group that is committed, but not yet on disk. */
interface UnsyncedGroup {
  readonly group: readonly WaitingWork[];
  readonly refused: ReadonlyMap<WaitingWork, unknown>;
}

/** Random within this range: processes waiting for a lock that is held only briefly must not all retry at once. */
const RETRY_MS = { least: 5, most: 15 };

export function createGroupWriter(
  database: DatabaseSyncInstance,
  admission: Admission,
  { file, busyTimeoutMs, walSync }: GroupWriterOptions,
): GroupWriter {
  const waiting: WaitingWork[] = [];
  /** While there is one, later groups wait: they will share the next sync. */
  let unsynced: UnsyncedGroup | undefined;
  /** How many writes shared the last commit. */
  let lastGroupSize = 0;
  let state: "open" | "closed" = "open";
  /**
   * Set once the disk did not take a sync, after which nothing more is written: the system reports lost data only once,
   * and a loss of power would take with it whatever lies behind that data in the WAL. Closing the store writes the WAL
   * back into the database file, so a store that is opened again may go on.
   */
  let syncError: StoreError | undefined;
  /** When the file was first found locked by another process. */
  let lockedSince: number | undefined;
  let shouldSplit: (size: number) => boolean = () => false;

  return {
    write(work, wait = "turns", onSettled) {
      return new Promise((resolve, reject) => {
        if (state === "closed")
          throw new StoreError("closed", `The store ${file} is closed; open it again to write to it.`);
        waiting.push({ work, onSettled, resolve, reject });
        if (waiting.length > 1) return;
        // The first write after a large group is not alone, though it may seem so: the others are about to follow.
        if (wait === "tick" && lastGroupSize <= 1) process.nextTick(flushGroup);
        else setImmediate(setImmediate, flushGroup);
      });
    },
    splitWhen(rule) {
      shouldSplit = rule;
    },
    close() {
      if (state === "closed") return;
      state = "closed";
      // There will be no retry, so block for the lock.
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      finishSync();
      flush(waiting.length);
    },
  };

  function flushGroup(): void {
    if (unsynced !== undefined) return;
    const size = waiting.length;
    const isSplit = shouldSplit(size);
    flush(isSplit ? Math.ceil(size / 2) : size);
    if (isSplit && lockedSince === undefined) setImmediate(setImmediate, flushGroup);
  }

  function flush(size: number): void {
    if (size === 0) return;
    const group = waiting.splice(0, size);
    if (syncError !== undefined) {
      settleGroup(file, group, () => syncError);
      return;
    }
    lastGroupSize = size;
    const wasBehind = walSync?.isBehind() === true;
    const startedAt = performance.now();
    try {
      const refused = inTransaction(database, () => {
        admission.admit();
        const rejected = writeGroup(group);
        admission.finish();
        return rejected;
      });
      admission.committed();
      lockedSince = undefined;
      if (walSync !== undefined && wasBehind) {
        awaitSync(walSync, { group, refused });
        return;
      }
      settleGroup(file, group, (item) => refused.get(item));
    } catch (error) {
      if (mayWait(error)) {
        waiting.unshift(...group);
        setTimeout(flushGroup, RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
        return;
      }
      lockedSince = undefined;
      settleGroup(file, group, () => error);
    }
    if (state === "open" && !wasBehind) walSync?.noteCommit(performance.now() - startedAt);
  }

  function awaitSync(sync: WalSync, committed: UnsyncedGroup): void {
    unsynced = committed;
    sync.sync((error) => {
      // Otherwise the store was closed meanwhile, which has settled the group.
      if (unsynced !== committed) return;
      settleSynced(committed, error);
      if (waiting.length > 0) setImmediate(setImmediate, flushGroup);
    });
  }

  function finishSync(): void {
    try {
      walSync?.finish();
      if (unsynced !== undefined) settleSynced(unsynced, null);
    } catch (error) {
      syncError = toSyncError(file, error);
      if (unsynced !== undefined) settleSynced(unsynced, error);
    }
  }

  function settleSynced({ group, refused }: UnsyncedGroup, error: unknown): void {
    unsynced = undefined;
    if (error !== null) syncError = toSyncError(file, error);
    settleGroup(file, group, (item) => syncError ?? refused.get(item));
  }

  function mayWait(error: unknown): boolean {
    if (resultCode(error) !== RESULT_CODE.busy || state === "closed") return false;
    lockedSince ??= performance.now();
    return performance.now() - lockedSince < busyTimeoutMs;
  }
}

/**
 * Settles work with `onSettled` first, so that the calls it starts are sent, and worked on, before the others continue.
 * Node runs microtasks, in which such a call is handed to its wire, then ticks, in which it is sent, then the
 * microtasks in which the others continue.
 */
function settleGroup(file: string, group: readonly WaitingWork[], errorOf: (item: WaitingWork) => unknown): void {
  for (const item of group) if (item.onSettled !== undefined) settle(file, item, errorOf(item));
  const others = group.filter(({ onSettled }) => onSettled === undefined);
  const settleOthers = () => {
    for (const item of others) settle(file, item, errorOf(item));
  };
  if (others.length === group.length) settleOthers();
  else if (others.length > 0) queueMicrotask(() => process.nextTick(settleOthers));
}

function settle(file: string, { onSettled, resolve, reject }: WaitingWork, error: unknown): void {
  onSettled?.(error === undefined);
  if (error === undefined) resolve();
  else reject(toWriteError(file, error));
}

function writeGroup(group: readonly WaitingWork[]): ReadonlyMap<WaitingWork, unknown> {
  const refused = new Map<WaitingWork, unknown>();
  for (const item of group) {
    try {
      item.work();
    } catch (error) {
      if (!affectsOneWorkOnly(error)) throw error;
      refused.set(item, error);
    }
  }
  return refused;
}

/** SQLite undoes such a statement itself and the transaction goes on; after any other error it cannot be trusted. */
function affectsOneWorkOnly(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  const code = resultCode(error);
  return code === RESULT_CODE.constraint || code === RESULT_CODE.tooBig || code === RESULT_CODE.mismatch;
}

import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "@tacklebox/core";
import { inTransaction } from "./in-transaction.ts";
import { RESULT_CODE, resultCode, toWriteError } from "./store-error.ts";

/**
 * The one place that writes, in groups: whatever is to be written during two turns of the event loop shares one commit and
 * one fsync. While another process keeps the file locked it waits beside the event loop, not in it.
 */
export interface GroupWriter {
  /**
   * Resolves after the commit. Work that fails leaves the others of its group, and later ones, alone if it can.
   * It runs later and in a transaction with others: what it writes is text already, and work of several statements
   * undoes them itself before it throws (inSavepoint). `begun` is given with work that something waits for to begin: it is
   * told first, and so is whoever waits for such work.
   */
  write(work: () => void, wait?: GroupWait, begun?: (isWritten: boolean) => void): Promise<void>;
  /** Asked about every group: whether half of it should be written first, for those to go on while the rest is written. */
  halveWhen(isBetterHalved: (size: number) => boolean): void;
  /** Writes what is waiting and refuses everything from now on. */
  close(): void;
}

/**
 * Until the next turn of the event loop is over, for others to share the commit: with 64 callers groups are a sixth smaller
 * after one turn alone, and three were no faster. Or not even for this turn, for whoever is alone.
 */
export type GroupWait = "turns" | "tick";

interface WaitingWork {
  work(): void;
  readonly begun: ((isWritten: boolean) => void) | undefined;
  resolve(): void;
  reject(error: StoreError): void;
}

export interface GroupWriterOptions {
  readonly file: string;
  /** How long to wait for a lock that another process holds. */
  readonly busyTimeoutMs: number;
}

/** Processes that write side by side hold the lock for a moment each: those that wait must not all come back at once. */
const RETRY_MS = { least: 5, most: 15 };

export function createGroupWriter(
  database: DatabaseSyncInstance,
  { file, busyTimeoutMs }: GroupWriterOptions,
): GroupWriter {
  const waiting: WaitingWork[] = [];
  /** How many shared the last commit. */
  let sizeBefore = 0;
  let state: "open" | "closed" = "open";
  /** Since when another process has kept it locked. */
  let lockedSince: number | undefined;
  let isBetterHalved: (size: number) => boolean = () => false;

  return {
    write(work, wait = "turns", begun) {
      return new Promise((resolve, reject) => {
        if (state === "closed")
          throw new StoreError("closed", `The store ${file} is closed; open it again to write to it.`);
        waiting.push({ work, begun, resolve, reject });
        if (waiting.length > 1) return;
        // Whoever is first after a group of many is not alone, though it may seem so: the others are about to follow.
        if (wait === "tick" && sizeBefore <= 1) process.nextTick(flushGroup);
        else setImmediate(setImmediate, flushGroup);
      });
    },
    halveWhen(rule) {
      isBetterHalved = rule;
    },
    close() {
      if (state === "closed") return;
      state = "closed";
      // Nothing comes after this: now or never.
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      flush(waiting.length);
    },
  };

  function flushGroup(): void {
    const size = waiting.length;
    const isHalved = isBetterHalved(size);
    flush(isHalved ? Math.ceil(size / 2) : size);
    if (isHalved && lockedSince === undefined) setImmediate(setImmediate, flushGroup);
  }

  function flush(size: number): void {
    if (size === 0) return;
    const group = waiting.splice(0, size);
    sizeBefore = size;
    try {
      const refused = inTransaction(database, () => writeGroup(group));
      lockedSince = undefined;
      settleGroup(group, (item) => refused.get(item));
    } catch (error) {
      if (mayWait(error)) {
        waiting.unshift(...group);
        setTimeout(flushGroup, RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
        return;
      }
      lockedSince = undefined;
      settleGroup(group, () => error);
    }
  }

  function mayWait(error: unknown): boolean {
    if (resultCode(error) !== RESULT_CODE.busy || state === "closed") return false;
    lockedSince ??= performance.now();
    return performance.now() - lockedSince < busyTimeoutMs;
  }

  /**
   * What begins leaves before anybody else is told, and is worked on meanwhile: Node runs microtasks, in which it is handed
   * over, then ticks, in which it leaves, then the microtasks that the others go on in.
   */
  function settleGroup(group: readonly WaitingWork[], errorOf: (item: WaitingWork) => unknown): void {
    for (const item of group) if (item.begun !== undefined) settle(item, errorOf(item));
    const others = group.filter(({ begun }) => begun === undefined);
    const settleOthers = () => {
      for (const item of others) settle(item, errorOf(item));
    };
    if (others.length === group.length) settleOthers();
    else if (others.length > 0) queueMicrotask(() => process.nextTick(settleOthers));
  }

  function writeGroup(group: readonly WaitingWork[]): ReadonlyMap<WaitingWork, unknown> {
    const refused = new Map<WaitingWork, unknown>();
    for (const item of group) {
      try {
        item.work();
      } catch (error) {
        if (!isFaultOfOneWork(error)) throw error;
        refused.set(item, error);
      }
    }
    return refused;
  }

  function settle({ begun, resolve, reject }: WaitingWork, error: unknown): void {
    begun?.(error === undefined);
    if (error === undefined) resolve();
    else reject(toWriteError(file, error));
  }
}

/** SQLite undoes such a statement by itself and the transaction goes on; after any other error it is not to be trusted. */
function isFaultOfOneWork(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  const code = resultCode(error);
  return code === RESULT_CODE.constraint || code === RESULT_CODE.tooBig || code === RESULT_CODE.mismatch;
}

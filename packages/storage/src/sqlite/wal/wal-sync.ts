import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { CHECKPOINT_AFTER_PAGES } from "../open-database.ts";
import { checkpointInThread } from "./checkpoint-in-thread.ts";

/**
 * Makes commits durable. On a fast disk SQLite syncs the WAL within each commit, which is quickest. On a slow disk each
 * such commit would stop the event loop, so SQLite only writes the WAL, and threads sync it and copy it back into the
 * database file.
 */
export interface WalSync {
  /** Whether commits become durable only with `sync`. */
  isBehind(): boolean;
  /** Tells how long a commit took that SQLite synced itself. Must not be called within a transaction. */
  noteCommit(tookMs: number): void;
  /**
   * Makes every commit so far durable without blocking the event loop. `done` is called once, with the error if any;
   * nothing more may be committed after one, since commits in the WAL build on those before them.
   */
  sync(done: (error: Error | null) => void): void;
  /** Makes every commit so far durable, blocking. SQLite syncs all later ones. */
  finish(): void;
}

export interface WalSyncOptions {
  readonly file: string;
  readonly syncFile?: (descriptor: number, done: (error: Error | null) => void) => void;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonic?: () => number;
}

/**
 * Two in a row, because a checkpoint makes a single commit slow on any disk, and so slow together that it cannot be the
 * processor alone: on a busy machine, a commit waits for that too, and a thread would only add to it.
 */
const SLOW = { commitMs: 10, inARow: 2, togetherMs: 100 };

/** Far from what counts as slow, so that a disk in between does not make us switch back and forth. */
const FAST = { syncMs: 5, inARow: 16 };

export function createWalSync(database: DatabaseSyncInstance, options: WalSyncOptions): WalSync {
  const { file, syncFile = fdatasync, monotonic = () => performance.now() } = options;
  /** The open WAL while we sync it ourselves. */
  let wal: number | undefined;
  let isSyncing = false;
  let isCheckpointing = false;
  let slowInARow = 0;
  let slowTogetherMs = 0;
  let fastInARow = 0;

  return {
    isBehind: () => wal !== undefined,
    noteCommit(tookMs) {
      const isSlow = tookMs >= SLOW.commitMs;
      slowInARow = isSlow ? slowInARow + 1 : 0;
      slowTogetherMs = isSlow ? slowTogetherMs + tookMs : 0;
      if (slowInARow >= SLOW.inARow && slowTogetherMs >= SLOW.togetherMs) fallBehind();
    },
    sync(done) {
      if (wal === undefined) return done(null);
      const synced = wal;
      const startedAt = monotonic();
      isSyncing = true;
      return syncFile(synced, (error) => {
        isSyncing = false;
        done(error);
        if (wal === undefined) closeSync(synced);
        else if (error === null) noteSync(monotonic() - startedAt);
      });
    },
    finish() {
      if (wal === undefined) return;
      fdatasyncSync(wal);
      catchUp();
    },
  };

  function fallBehind(): void {
    if (wal !== undefined) return;
    slowInARow = 0;
    slowTogetherMs = 0;
    fastInARow = 0;
    try {
      wal = openSync(`${file}-wal`, "r+");
    } catch {
      // Too many open files, for example. SQLite goes on syncing, which is slow but safe.
      return;
    }
    database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
  }

  /** Must follow a sync, since SQLite knows nothing of the commits that were not synced. */
  function catchUp(): void {
    if (wal !== undefined && !isSyncing) closeSync(wal);
    wal = undefined;
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_AFTER_PAGES}`);
  }

  function noteSync(tookMs: number): void {
    fastInARow = tookMs < FAST.syncMs ? fastInARow + 1 : 0;
    if (fastInARow >= FAST.inARow) catchUp();
    else if (!isCheckpointing && pagesToCheckpoint(database) >= CHECKPOINT_AFTER_PAGES) startCheckpoint();
  }

  function startCheckpoint(): void {
    isCheckpointing = true;
    void checkpointInThread(file).finally(() => {
      isCheckpointing = false;
    });
  }
}

function pagesToCheckpoint(database: DatabaseSyncInstance): number {
  const state: unknown = database.prepare("PRAGMA wal_checkpoint(NOOP)").get();
  const { log, checkpointed } = state as { readonly log: number; readonly checkpointed: number };
  return log - checkpointed;
}

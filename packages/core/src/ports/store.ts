import type { CallQuery, CallRecord } from "../domain/call.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Grant } from "../domain/grant.ts";
import type { Era } from "../domain/server.ts";
import type { Session, SessionMessage } from "../domain/session.ts";
import type { ToolRef } from "../domain/tool.ts";

/** Keeps everything durable except secrets. */
export interface Store {
  readonly calls: CallLog;
  readonly inventory: Inventory;
  readonly sessions: Sessions;
  readonly grants: Grants;
  readonly gpts: Gpts;
  readonly embeddings: Embeddings;
  close(): Promise<void>;
}

export interface CallLog {
  /**
   * Inserts the record, or replaces the row with its id. Resolves only when the row would survive a crash.
   * A row that is terminal (`success`, `error`) is never changed again: such a save is ignored, `lateAnswerAt` with it.
   * `saved` is what this log took last under this id: with it a log need not write everything again.
   */
  save(record: CallRecord, saved?: CallRecord): Promise<void>;
  /** The one thing that is learnt of a call after its end; ignored for one that has not failed. Survives as a save does. */
  noteLateAnswer(id: string, at: string): Promise<void>;
  load(id: string): Promise<CallRecord | undefined>;
  /** Newest first. `after` is the id of a call: only older ones then, and none when there is no such call any more. */
  list(query: CallQuery): Promise<readonly CallRecord[]>;
  /** Ends every open row whose owner is dead as `interrupted`; returns how many. Safe beside other processes. */
  recover(): Promise<number>;
  /**
   * Removes calls that have ended, oldest first; returns how many. Saves are never held up for long: it works in small
   * steps and lets others go between them. Safe beside other processes.
   */
  prune(rule: PruneRule): Promise<number>;
}

export interface PruneRule {
  /** ISO 8601. Ended calls that started before it go. */
  readonly olderThan: string;
  /** Ended calls that are not among this many newest of all go. */
  readonly keepAtMost: number;
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

export interface Sessions {
  /** Inserts the session, or replaces its title, GPT, model and time. */
  save(session: Session): Promise<void>;
  load(id: string): Promise<Session | undefined>;
  /** The one used last comes first. */
  list(query: SessionsQuery): Promise<readonly Session[]>;
  /**
   * Resolves only when the messages would survive a crash: all of them, or none. Rejects when a number is taken, because
   * somebody else wrote to the session meanwhile, and when there is no such session, or no longer.
   */
  append(messages: readonly SessionMessage[]): Promise<void>;
  /** Oldest first: all, or at most `limit` of those whose number is greater than `after`. */
  messages(id: string, query?: { readonly after: number; readonly limit: number }): Promise<readonly SessionMessage[]>;
  /** With its messages and its grants. False when there was none. */
  remove(id: string): Promise<boolean>;
}

export interface SessionsQuery {
  readonly limit: number;
  /** Only what was used before this one, or at the same time and saved before it. */
  readonly after?: Pick<Session, "id" | "updatedAt">;
}

export interface Grants {
  /** One per tool and session (or for good): a new answer replaces the old one. */
  save(grant: Grant): Promise<void>;
  /** Every answer, or those about one tool; the latest comes last. */
  list(tool?: ToolRef): Promise<readonly Grant[]>;
  remove(id: string): Promise<boolean>;
}

/** Assistants people saved; those of the config file are not here. */
export interface Gpts {
  /** Inserts the GPT, or replaces the one with its key, which keeps its place. */
  save(gpt: Gpt): Promise<void>;
  /** In the order of first saves. */
  list(): Promise<readonly Gpt[]>;
  remove(key: string): Promise<boolean>;
}

/** What a model made of the texts of tools, so that it need not be asked again at every start. May forget, and round. */
export interface Embeddings {
  /** Those it has. */
  load(model: string, keys: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  save(model: string, vectors: ReadonlyMap<string, readonly number[]>): Promise<void>;
}

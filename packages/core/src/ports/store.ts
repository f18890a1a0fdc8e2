import type { CallQuery, CallRecord } from "../domain/call.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Grant } from "../domain/grant.ts";
import type { AcceptedDefinition, InventoryName, ServerInventory, ShownDefinition } from "../domain/inventory.ts";
import type { Session, SessionMessage } from "../domain/session.ts";
import type { HeldName, ToolRef } from "../domain/tool.ts";
import type { Members } from "./members.ts";

/** Keeps everything durable except secrets. */
export interface Store {
  readonly members: Members;
  readonly calls: CallLog;
  readonly inventory: Inventory;
  readonly names: Names;
  readonly definitions: Definitions;
  readonly sessions: Sessions;
  readonly grants: Grants;
  readonly gpts: Gpts;
  readonly embeddings: Embeddings;
  close(): Promise<void>;
}

export interface CallLog {
  /**
   * Inserts the record, or replaces the row with its id. Resolves only when the row would survive a crash.
   * A terminal row (`success`, `error`) is never changed again: such a save is ignored, including `lateAnswerAt`.
   */
  save(record: CallRecord, memo?: CallMemo): Promise<void>;
  /** Records that a failed call was answered after its end; ignored unless it has failed. As durable as `save`. */
  noteLateAnswer(id: string, at: string): Promise<void>;
  load(id: string): Promise<CallRecord | undefined>;
  /** Newest first. With `after`, the id of a call, only older calls; none if that call no longer exists. */
  list(query: CallQuery): Promise<readonly CallRecord[]>;
  /**
   * Declares members dead that are gone (isGone) and ends all their open rows as `interrupted`, atomically; returns
   * how many rows. Writes nothing if no member is gone. Safe to run while other processes use the store.
   */
  recover(): Promise<number>;
  /**
   * When the newest of the calls that started before `time` did so; undefined if there is none (both ISO 8601). Calls
   * are taken in the order of their first saves. Where a clock that was set makes that differ from the order of their
   * times, an older call may be found, never a later one.
   */
  newestBefore(time: string): Promise<string | undefined>;
  /**
   * Removes calls that have ended, oldest first; returns how many. It works in small steps and yields between them, so
   * that saves are never blocked for long. Safe to run while other processes use the store.
   */
  prune(rule: PruneRule): Promise<number>;
}

/**
 * Lets a log write only what changed since it last saved a call. Whoever makes the call owns it and passes it with each
 * of the call's saves, so the log has nothing to look up, and nothing to forget. Only the log looks inside.
 */
export interface CallMemo {
  kept?: object | undefined;
}

export interface PruneRule {
  /**
   * ISO 8601. Ended calls that started before it are removed, if they come before the first call that started within
   * it, but never more than AGE_SHARE of all calls at a time. If absent, no call is removed for its age.
   */
  readonly young?: { readonly from: string; readonly until: string };
  /** Ended calls beyond this many newest calls are removed. */
  readonly keepAtMost: number;
  /**
   * If all calls together are larger, ended ones are removed until the rest is a tenth smaller than this, so that it
   * does not happen again at once. The newest call stays whatever its size.
   */
  readonly keepBytes: number;
}

/** Ages come from clocks, and clocks can be wrong: a single prune must not be able to empty the log. */
export const AGE_SHARE = 1 / 4;

/** What each server offered when it was last used, to detect new, removed and changed tools. */
export interface Inventory {
  /**
   * The inventory of this server, or else the one saved last with this launch, which says what server it is of: a
   * config file that was moved or copied keeps what was accepted.
   */
  load(name: InventoryName): Promise<ServerInventory | undefined>;
  /** Replaces a server's inventory, and adds accepted definitions to those that are kept for its tools. */
  save(inventory: ServerInventory, definitions: readonly AcceptedDefinition[]): Promise<void>;
  /** The definitions that belong to the fingerprints of the inventory that `load` finds, as far as they are kept. */
  definitions(name: InventoryName): Promise<readonly AcceptedDefinition[]>;
}

/** Which tool has which shown name, so that a name stays with its tool from one start to the next. */
export interface Names {
  /** The names in use with the configuration from `source`. */
  load(source: string): Promise<readonly HeldName[]>;
  /**
   * Forgets the names of the servers that were removed and adds names, atomically. A name that is there already stays
   * with its tool.
   */
  keep(source: string, names: KeptNames): Promise<void>;
}

export interface KeptNames {
  readonly added: readonly HeldName[];
  readonly removed: readonly ServerName[];
}

export interface ServerName {
  readonly scope: string;
  readonly server: string;
}

/** What servers said about their tools and themselves when a person was last shown it. */
export interface Definitions {
  load(scope: string, server: string): Promise<readonly ShownDefinition[]>;
  /** Inserts the definitions, or replaces those of the same tools. */
  save(definitions: readonly ShownDefinition[]): Promise<void>;
}

export interface Sessions {
  /** Inserts the session, or replaces its title, GPT, model and time. */
  save(session: Session): Promise<void>;
  load(id: string): Promise<Session | undefined>;
  /** The most recently used session first. */
  list(query: SessionsQuery): Promise<readonly Session[]>;
  /**
   * Saves all of the messages or none. Resolves only when they would survive a crash. Rejects if a message number is
   * taken, because another process wrote to the session in the meantime, or if the session does not exist.
   */
  append(messages: readonly SessionMessage[]): Promise<void>;
  /** Oldest first: all messages, or at most `limit` of those whose number is greater than `after`. */
  messages(id: string, query?: { readonly after: number; readonly limit: number }): Promise<readonly SessionMessage[]>;
  /** Removes the session with its messages and grants. Resolves to false if it does not exist. */
  remove(id: string): Promise<boolean>;
}

export interface SessionsQuery {
  readonly limit: number;
  /** Only sessions whose id begins with this. */
  readonly idPrefix?: string | undefined;
  /** Only sessions last used before this one, or at the same time and saved before it. */
  readonly after?: Pick<Session, "id" | "updatedAt">;
}

export interface Grants {
  /** One grant per tool and session (or permanent): a new answer replaces the old one. */
  save(grant: Grant): Promise<void>;
  /** All grants, or those for one tool; the latest comes last. */
  list(tool?: ToolRef): Promise<readonly Grant[]>;
  remove(id: string): Promise<boolean>;
}

/** GPTs that people saved; those of the config file are not here. */
export interface Gpts {
  /** Inserts the GPT, or replaces the one with its key in place. */
  save(gpt: Gpt): Promise<void>;
  /** All GPTs, in the order they were first saved. */
  list(): Promise<readonly Gpt[]>;
  remove(key: string): Promise<boolean>;
}

/**
 * A cache of embeddings of tool texts, so that no model is asked again at every start. May forget entries and round.
 */
export interface Embeddings {
  /** Returns vectors for the keys it has; unknown keys are left out. */
  load(model: string, keys: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  save(model: string, vectors: ReadonlyMap<string, readonly number[]>): Promise<void>;
}

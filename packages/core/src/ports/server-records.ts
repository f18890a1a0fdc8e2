import type { JsonObject } from "../json/json.ts";

/** A server that a person added. Implementations of ServerRecords only rely on its id; readers validate the rest. */
export interface ServerRecord extends JsonObject {
  readonly id: string;
}

/** Keeps the servers people added. It returns copies; credentials in them are references into the vault. */
export interface ServerRecords {
  /** All records, in the order they were first saved. */
  list(): Promise<readonly ServerRecord[]>;
  load(id: string): Promise<ServerRecord | undefined>;
  /** Inserts the record, or replaces the one with its id. */
  save(record: ServerRecord): Promise<void>;
  /** Resolves to false if there is no such record. */
  remove(id: string): Promise<boolean>;
}

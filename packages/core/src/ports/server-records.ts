import type { JsonObject } from "../json/json.ts";

/** A server as a person added it (S1.5). Keepers need only know its id; whoever reads it checks the rest. */
export interface ServerRecord extends JsonObject {
  readonly id: string;
}

/** Keeps the servers people added. What it gives are copies; credentials in them are references into the vault. */
export interface ServerRecords {
  /** In the order they were first saved. */
  list(): Promise<readonly ServerRecord[]>;
  load(id: string): Promise<ServerRecord | undefined>;
  /** Inserts the record, or replaces the one with its id. */
  save(record: ServerRecord): Promise<void>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
}

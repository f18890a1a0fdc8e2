import type { CallPart, Message, Usage, VendorMark } from "../domain/message.ts";
import type { ModelDefinition, ModelSummary } from "../domain/model.ts";
import type { JsonSchema } from "../json/json.ts";

/** A language model. It never calls tools itself: the loop, approvals and limits are the engine's. */
export interface Model {
  readonly summary: ModelSummary;
  /**
   * Streams one model turn. Throws only ModelError; aborting `signal` ends the turn at once with code `cancelled`.
   * A call is emitted when it is complete: fragments of arguments never leave the adapter.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens?: number;
}

/** A tool as the model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** As the server sent it. If a vendor rejects parts of it, the adapter changes them in its request only. */
  readonly inputSchema: JsonSchema;
  /** Set for the engine's own tools: they find or call tools that were not sent, or read more of a result. */
  readonly builtIn?: "search" | "call" | "read";
}

/**
 * Consecutive deltas of one kind form one part. An event with a `vendor` mark ends its part: the mark belongs to the
 * part formed by its own text (often none) and the deltas before it. A part may consist of a mark alone.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string; readonly vendor?: VendorMark }
  | { readonly type: "thought"; readonly text: string; readonly vendor?: VendorMark }
  | { readonly type: "call"; readonly call: CallPart }
  | { readonly type: "usage"; readonly usage: Usage }
  /** Always the last event. */
  | { readonly type: "ended"; readonly reason: TurnEnd };

export type TurnEnd = "stop" | "calls" | "length" | "refused";

/** The models of this process, by name. */
export interface Models {
  list(): Promise<readonly ModelSummary[]>;
  /** Opens the named model, or the default one; explains if there is none. Opening makes no request. */
  open(name?: string): Promise<OpenModel>;
  /** Returns one vector per text from an embedding model. Rejects with ModelError. Absent if there is no such model. */
  embed?(name: string, texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
  /**
   * Replaces the models of the config file, which take precedence over all others. Called at every start and reload.
   * Models that are open stay usable. Absent if the models never change.
   */
  configure?(definitions: readonly ModelDefinition[]): void;
}

export type OpenModel =
  | { readonly kind: "opened"; readonly model: Model }
  | { readonly kind: "unknown"; readonly message: string };

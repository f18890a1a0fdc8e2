import type { CallPart, Message, Usage, VendorMark } from "../domain/message.ts";
import type { ModelDefinition, ModelSummary } from "../domain/model.ts";
import type { JsonSchema } from "../json/json.ts";

/** A language model that answers one turn. It never calls tools itself: the loop, approvals and limits are the engine's. */
export interface Model {
  readonly summary: ModelSummary;
  /**
   * One model turn, passed on as it comes. Throws ModelError and nothing else; aborting `signal` ends it at once with
   * code `cancelled`. Calls are complete when they are told: fragments of arguments never leave the adapter.
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
  /** As the server sent it; what a vendor refuses is adapted by the adapter, and only on the way out. */
  readonly inputSchema: JsonSchema;
  /** Set for a tool that is no server's: it finds or calls tools that were not sent, or reads on in a result. */
  readonly ours?: "search" | "call" | "read";
}

/**
 * Deltas of one kind in a row make one part. An event with a `vendor` mark ends its part: the mark belongs to the part
 * that its text (often none) and the deltas before it make, and a part may be a mark alone.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string; readonly vendor?: VendorMark }
  | { readonly type: "thought"; readonly text: string; readonly vendor?: VendorMark }
  | { readonly type: "call"; readonly call: CallPart }
  | { readonly type: "usage"; readonly usage: Usage }
  /** Always the last. */
  | { readonly type: "ended"; readonly reason: TurnEnd };

export type TurnEnd = "stop" | "calls" | "length" | "refused";

/** The models of this process, by name. */
export interface Models {
  list(): Promise<readonly ModelSummary[]>;
  /** The named model, or the default one; says what is wrong when there is none. Opening makes no request. */
  open(name?: string): Promise<OpenModel>;
  /** A vector per text, by a model that makes such. Throws ModelError. Absent: none here does. */
  embed?(name: string, texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
  /**
   * Replaces the models of the config file, which come before all others; said at every start and reload. What was
   * opened before goes on. Absent: what there is never changes.
   */
  configure?(definitions: readonly ModelDefinition[]): void;
}

export type OpenModel =
  | { readonly kind: "opened"; readonly model: Model }
  | { readonly kind: "unknown"; readonly message: string };

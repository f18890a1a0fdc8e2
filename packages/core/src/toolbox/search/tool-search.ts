import type { MatchReasons } from "../../domain/selection.ts";
import type { JsonSchema } from "../../json/json.ts";
import type { StaticVectors } from "./vectors/static-vectors.ts";

/** What of a tool can be found by words. */
export interface SearchableTool {
  /** Its server's key. */
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface SearchOptions {
  /** At most so many matches. */
  readonly limit: number;
  /** Leaves out every tool this says no to. */
  readonly among?: (id: string) => boolean;
}

/** Finds tools by what somebody wants to get done. Works in memory and follows the catalog tool by tool. */
export interface ToolSearch {
  /** Adds a tool, or replaces the one of that id. */
  set(id: string, tool: SearchableTool): void;
  remove(id: string): void;
  /** Best first. Equal scores stay in the order in which the tools were set. Empty when nothing fits. */
  search(query: string, options: SearchOptions): readonly ToolMatch[];
  /** From now on meaning counts beside words. Without it the search works by words alone. */
  useVectors(vectors: StaticVectors): void;
}

export interface ToolMatch {
  readonly id: string;
  /**
   * From 0 to 1, falling along the list. 1 is a tool the query names; otherwise the first match's score says how much of
   * the query it answers, and the others' how near they come to it.
   */
  readonly score: number;
  readonly why: MatchReasons;
}

import type { MatchReasons } from "../../domain/selection.ts";
import type { JsonSchema } from "../../json/json.ts";
import type { StaticVectors } from "./vectors/static-vectors.ts";

/** The parts of a tool that can be searched. */
export interface SearchableTool {
  /** Its server's key. */
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface SearchOptions {
  /** The maximum number of matches. */
  readonly limit: number;
  /** Leaves out every tool for which this returns false. */
  readonly among?: (id: string) => boolean;
}

/** Finds tools by a description of a task. Works in memory; tools are added and removed one by one. */
export interface ToolSearch {
  /** Adds a tool, or replaces the one with that id. */
  set(id: string, tool: SearchableTool): void;
  remove(id: string): void;
  /** Best first. Equal scores stay in the order in which the tools were set. Empty if nothing fits. */
  search(query: string, options: SearchOptions): readonly ToolMatch[];
  /** Makes meaning count as well from now on. Without vectors the search uses words alone. */
  useVectors(vectors: StaticVectors): void;
}

export interface ToolMatch {
  readonly id: string;
  /**
   * From 0 to 1, falling along the list. A tool that the query names has 1. Otherwise the score of the first match is
   * how much of the query it answers, and the others are relative to it.
   */
  readonly score: number;
  readonly why: MatchReasons;
}

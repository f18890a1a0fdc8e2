import type { IncludeMode } from "./approval.ts";
import type { RegisteredTool } from "./tool.ts";

/** Which tools' definitions go into every request of one prompt, and why each does (C3.2). */
export interface Selection {
  /** In the order they are sent. */
  readonly tools: readonly SelectedTool[];
  /** How many more the session may call; a model finds them with `search_tools`. */
  readonly left: number;
  /** How many `always` tools were left to search like `agent` ones, because all together they do not fit. */
  readonly demoted: number;
  /** How many were to be sent at any rate and were not, because the model takes no more tools. */
  readonly capped: number;
}

export interface SelectedTool {
  /** The shown name. */
  readonly name: string;
  readonly server: string;
  /** `manual`: a person put it in. `agent`: search chose it for this prompt or an earlier one, or it was used before. */
  readonly mode: IncludeMode;
  /** How well it fits this prompt, from 0 to 1; absent where search did not say. */
  readonly score?: number;
}

/** A tool that words found. */
export interface FoundTool {
  readonly tool: RegisteredTool;
  /** From 0 to 1, falling along the list; 1 is a tool the words name. */
  readonly score: number;
  readonly why: MatchReasons;
}

/** Why a tool was found. */
export interface MatchReasons {
  /** The query is this tool's name, or contains it as `name` or `server/name`. */
  readonly named: boolean;
  /** The words that count most, most telling first. */
  readonly words: readonly MatchedWord[];
  /** How much of the score came from the other tools of its server, 0 to 1. */
  readonly server: number;
  /** How near the query's meaning is to the tool's, 0 to 1; 0 without vectors. */
  readonly meaning: number;
}

export interface MatchedWord {
  /** As it was asked for. */
  readonly asked: string;
  /** As the tools say it. */
  readonly found: string;
  readonly how: "same" | "synonym" | "typo";
  readonly fields: readonly SearchField[];
}

export type SearchField = "name" | "server" | "description" | "parameter" | "parameter-description";

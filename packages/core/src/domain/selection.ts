import type * as z from "zod/mini";
import { list, number, object, optional, string } from "../json/schema.ts";
import { IncludeMode } from "./approval.ts";
import type { RegisteredTool } from "./tool.ts";

export const SelectedTool = object({
  /** The shown name. */
  name: string,
  server: string,
  /** `manual`: a person added it. `agent`: search chose it for this prompt or an earlier one, or it was used before. */
  mode: IncludeMode,
  /** How well it fits this prompt, from 0 to 1; absent if search did not score it. */
  score: optional(number),
});
export type SelectedTool = z.infer<typeof SelectedTool>;

/** The tools whose definitions go into every request of one prompt, and why each does. */
export const Selection = object({
  /** In the order they are sent. */
  tools: list(SelectedTool),
  /** How many more the session may call; a model finds them with `search_tools`. */
  left: number,
  /** How many `always` tools were treated like `agent` ones, because all of them together do not fit. */
  demoted: number,
  /** How many tools should always be sent but were not, because the model accepts no more tools. */
  capped: number,
});
export type Selection = z.infer<typeof Selection>;

/** A tool that a search found. */
export interface FoundTool {
  readonly tool: RegisteredTool;
  /** From 0 to 1, descending along the list; 1 is a tool that the query names. */
  readonly score: number;
  readonly why: MatchReasons;
}

/** Why a tool was found. */
export interface MatchReasons {
  /** The query is this tool's name, or contains it as `name` or `server/name`. */
  readonly named: boolean;
  /** The matched words that contribute most to the score, strongest first. */
  readonly words: readonly MatchedWord[];
  /** How much of the score comes from the other tools of its server, 0 to 1. */
  readonly server: number;
  /** How close the query's meaning is to the tool's, 0 to 1; 0 without vectors. */
  readonly meaning: number;
}

export interface MatchedWord {
  /** The word in the query. */
  readonly asked: string;
  /** The word in the tools' texts. */
  readonly found: string;
  readonly how: "same" | "synonym" | "typo";
  readonly fields: readonly SearchField[];
}

export type SearchField = "name" | "server" | "description" | "parameter" | "parameter-description";

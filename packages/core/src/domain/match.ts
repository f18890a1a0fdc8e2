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

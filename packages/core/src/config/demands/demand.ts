/** What a config file would start, call, read and change, for a person to judge. */
export interface ConfigDemands {
  readonly entries: readonly Demand[];
  /** The environment variables that the file names anywhere, each once. */
  readonly variables: readonly string[];
  /** The secrets of the vault that the file names anywhere, each once. */
  readonly secrets: readonly string[];
}

/** One part of the file, such as a server. */
export interface Demand {
  readonly what: "server" | "model" | "custom tool" | "GPT" | "tool" | "call log";
  /** As it is written in the file. Empty where there is only one. */
  readonly name: string;
  readonly lines: readonly DemandLine[];
}

export interface DemandLine {
  readonly label: DemandLabel;
  /**
   * Whole and as it is written: references are not filled in. May hold a credential that is in the file. Only the values
   * of `env` and `headers` are without theirs.
   */
  readonly text: string;
  /** The same without credentials, so that it can be stored. */
  readonly storable: string;
}

/**
 * `command` stands for the program and for each of its arguments, `env` and `headers` for `NAME=value` and `Name: value`,
 * `instructs` for a line of what a model is told.
 */
export type DemandLabel =
  | "command"
  | "url"
  | "folder"
  | "env"
  | "headers"
  | "sign-in"
  | "reads"
  | "secret"
  | "instructs"
  | "approval"
  | "keeps"
  | "state";

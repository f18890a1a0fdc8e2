/** A problem or warning about a config file. `message` is for people and never holds a filled-in variable. */
export interface ConfigProblem {
  readonly message: string;
  readonly file: string;
  /** Both count from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The place in the file's structure, such as `servers.files.args[0]`. */
  readonly path?: string;
}

/** Puts the location on its own line and the message below it, so that multi-line texts stay readable and copyable. */
export function formatConfigProblem(problem: ConfigProblem): string {
  const position = [problem.file, problem.line, problem.column].filter((part) => part !== undefined);
  return `${position.join(":")}\n${problem.message}`;
}

/** One thing that is wrong, or odd, in a config file. `message` is for people and never holds a filled-in value. */
export interface ConfigProblem {
  readonly message: string;
  readonly file: string;
  /** Both count from 1. */
  readonly line?: number;
  readonly column?: number;
  /** Where in the file's structure, such as `servers.files.args[0]`. */
  readonly path?: string;
}

/** The location on a line of its own, then the message as it is: multi-line texts stay readable and copyable. */
export function formatConfigProblem(problem: ConfigProblem): string {
  const position = [problem.file, problem.line, problem.column].filter((part) => part !== undefined);
  return `${position.join(":")}\n${problem.message}`;
}

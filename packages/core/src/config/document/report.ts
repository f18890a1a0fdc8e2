import { type Path, startsWith } from "./path.ts";

export interface Finding {
  readonly message: string;
  readonly path: Path;
  /** Whether the key or the value behind it is what people should look at. */
  readonly at: "key" | "value";
}

/** Nobody reads more, and looking through them would take long. */
const MOST_PROBLEMS = 1_000;

/** Collects everything the steps find, so that people see all of it at once. */
export class Report {
  readonly problems: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly #misspelt: Path[] = [];

  /** The key a misspelt one was meant to be: it counts as broken, so that nobody is told that it is missing as well. */
  misspelt(meant: Path): void {
    if (this.#misspelt.length < MOST_PROBLEMS) this.#misspelt.push(meant);
  }

  problem(path: Path, message: string, at: "key" | "value" = "value"): void {
    if (this.problems.length >= MOST_PROBLEMS) return;
    this.problems.push({ message, path, at });
  }

  warn(path: Path, message: string, at: "key" | "value" = "key"): void {
    this.warnings.push({ message, path, at });
  }

  /** True when something at the path or below it is already wrong: later steps stay silent about such a value. */
  isBroken(path: Path): boolean {
    if (this.problems.length >= MOST_PROBLEMS) return true;
    return (
      this.problems.some((problem) => startsWith(problem.path, path)) ||
      this.#misspelt.some((meant) => startsWith(meant, path))
    );
  }
}

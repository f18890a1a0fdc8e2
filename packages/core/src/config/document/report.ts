import type { Advice } from "../../ports/advice.ts";
import { type Path, startsWith } from "./path.ts";

export interface Finding {
  readonly message: string;
  readonly path: Path;
  /** Whether people should look at the key or at its value. */
  readonly at: "key" | "value";
}

/** No one reads more, and searching through more would take long. */
const MAX_PROBLEMS = 1_000;

/** Collects the findings of all steps, so that people see all of them at once. */
export class Report {
  readonly problems: Finding[] = [];
  readonly warnings: Finding[] = [];
  /** Values of environment variables that the file uses as credentials. */
  readonly fromEnvironment: Set<string>;
  /** Names the commands that findings suggest; without it they name none. */
  readonly advice: Pick<Advice, "storeSecret"> | undefined;
  readonly #misspelt: Path[] = [];

  constructor(advice?: Pick<Advice, "storeSecret">, fromEnvironment = new Set<string>()) {
    this.advice = advice;
    this.fromEnvironment = fromEnvironment;
  }

  /** A report with findings of its own about a part of the same file. What has to be redacted is known to both. */
  forPart(): Report {
    return new Report(this.advice, this.fromEnvironment);
  }

  /** Records the key that a misspelt one was meant to be, so that it is not reported as missing too. */
  misspelt(meant: Path): void {
    if (this.#misspelt.length < MAX_PROBLEMS) this.#misspelt.push(meant);
  }

  problem(path: Path, message: string, at: "key" | "value" = "value"): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({ message, path, at });
  }

  warn(path: Path, message: string, at: "key" | "value" = "key"): void {
    this.warnings.push({ message, path, at });
  }

  /** Warns of a value, unless there is a warning about it already. */
  warnOnce(path: Path, message: string): void {
    const isKnown = this.warnings.some((known) => known.path.length === path.length && startsWith(known.path, path));
    if (!isKnown) this.warn(path, message, "value");
  }

  /** True if a problem at the path or below it has been reported: later steps ignore such a value. */
  isBroken(path: Path): boolean {
    if (this.problems.length >= MAX_PROBLEMS) return true;
    return (
      this.problems.some((problem) => startsWith(problem.path, path)) ||
      this.#misspelt.some((meant) => startsWith(meant, path))
    );
  }
}

import type { DoctorFinding } from "../../doctor/finding.ts";
import type { Colour, Paint } from "../colour.ts";
import { printableText } from "../printable.ts";

/** The output of `doctor --json`. Fields may be added, never renamed. */
export interface DoctorJson {
  /** True when no finding is a problem. */
  readonly ok: boolean;
  readonly findings: readonly DoctorFinding[];
}

export const DOCTOR_JSON_SHAPE = `{ ok, findings: [{ about: "node" | "config" | "data" | "vault" | "server" | "toolbox" | "model", name?,
    verdict: "ok" | "warn" | "problem", text, next? }] }`;

const COLOURS = { ok: "green", warn: "yellow", problem: "red" } as const satisfies Record<
  DoctorFinding["verdict"],
  Colour
>;
const VERDICT_WIDTH = "problem".length;
const ABOUT_WIDTH = "toolbox".length;

/** The verdict and the text, whose further lines are indented, then the advice after an arrow. */
export function formatFinding({ about, name, verdict, text, next }: DoctorFinding, paint: Paint): string {
  const margin = " ".repeat(VERDICT_WIDTH + ABOUT_WIDTH + 4);
  const heading = name === undefined ? text : `${name}: ${text}`;
  const lines = printableText(heading).trimEnd().split("\n");
  const advice = next === undefined ? [] : [`-> ${printableText(next)}`];
  const body = [...lines, ...advice].join(`\n${margin}`);
  return `${paint(verdict.padEnd(VERDICT_WIDTH), COLOURS[verdict])}  ${about.padEnd(ABOUT_WIDTH)}  ${body}\n`;
}

export function formatSummary(findings: readonly DoctorFinding[]): string {
  const count = (verdict: DoctorFinding["verdict"]) => findings.filter((finding) => finding.verdict === verdict).length;
  const [problems, warnings] = [count("problem"), count("warn")];
  if (problems + warnings === 0) return "\nNo problems found.\n";
  return `\n${plural(problems, "problem")}, ${plural(warnings, "warning")}.\n`;
}

function plural(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}

import type { ExplanationStep, ToolExplanation } from "@tacklebox/core";
import type { Colour, Paint } from "../colour.ts";
import { printableLine } from "../printable.ts";

const VERDICT_COLOURS = {
  ok: "green",
  warn: "yellow",
  stop: "red",
} as const satisfies Record<ExplanationStep["verdict"], Colour>;

const STEP_WIDTH = "allow/deny".length;

/** Further lines of a text begin below its first one. */
const CONTINUED = `\n${" ".repeat(2 + STEP_WIDTH + 2 + "stop".length + 2)}`;

/** Explains why a tool may or may not be called, one line per step. */
export function formatExplanation(explanation: ToolExplanation, paint: Paint): string {
  const { server, tool, shownName, callable, steps } = explanation;
  const how = shownName === undefined ? "together with its server" : `as ${shownName}`;
  const result = callable ? `may be called ${how}` : "may not be called";
  const lines = steps.map(({ step, verdict, text }) => {
    const shown = paint(verdict.padEnd(4), VERDICT_COLOURS[verdict]);
    return `  ${labelOf(step).padEnd(STEP_WIDTH)}  ${shown}  ${text.split("\n").map(printableLine).join(CONTINUED)}\n`;
  });
  return `${paint(printableLine(`${tool} of server ${server}: ${result}`), "bold")}\n${lines.join("")}`;
}

/** "Pin" is the name of a setting, which people who never set it do not know. */
function labelOf(step: ExplanationStep["step"]): string {
  return step === "pin" ? "definition" : step;
}

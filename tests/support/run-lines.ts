import type { TurnScript } from "@tacklebox/core/testing";
import type { SeenRequest } from "@tacklebox/models/testing";
import { type Language, modelEntry, startScriptedVendor } from "./model-servers.ts";
import { type RunOptions, runProgram } from "./program.ts";
import { parsed, toolboxFile } from "./toolbox-file.ts";

export type Line = Readonly<Record<string, unknown>>;

/** Parses the output of `run --json`. */
export function linesOf(stdout: string): Line[] {
  return stdout.split("\n").slice(0, -1).map(parsed);
}

export function ofType(lines: readonly Line[], type: string): Line[] {
  return lines.filter((line) => line.type === type);
}

/** Returns all text of the model, joined. */
export function modelText(lines: readonly Line[]): string {
  return ofType(lines, "text")
    .map(({ text }) => String(text))
    .join("");
}

export interface FinishedRun {
  readonly code: number | null;
  readonly lines: readonly Line[];
  readonly stdout: string;
  readonly stderr: string;
  /** The requests sent to the model. */
  readonly requests: readonly SeenRequest[];
}

/** Runs `run --json` once with a model that follows a script and the servers of `config`. */
export async function runScript(
  turns: readonly TurnScript[],
  config: object,
  { language = "openai chat", args = [], ...options }: RunOptions & { language?: Language; args?: string[] } = {},
): Promise<FinishedRun> {
  const vendor = await startScriptedVendor(language, turns);
  const file = await toolboxFile({ models: { m: modelEntry(language, vendor.url) }, ...config });
  const exit = await runProgram(["run", "do it", "--json", "--config", file, ...args], options);
  return { ...exit, lines: linesOf(exit.stdout), requests: vendor.requests };
}

export function calls(...asked: readonly (readonly [tool: string, args: object | string])[]): TurnScript {
  return {
    kind: "answer",
    calls: asked.map(([tool, args], index) => ({
      id: `call_${index + 1}`,
      tool,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    })),
  };
}

export function answer(text: string): TurnScript {
  return { kind: "answer", text };
}

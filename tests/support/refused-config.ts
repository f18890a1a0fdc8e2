import { expect } from "vitest";
import { runProgram } from "./program.ts";
import type { Exit } from "./running-process.ts";
import { SECRET, setTripwire } from "./tripwire.ts";
import { temporaryFolder, writeConfig } from "./workspace.ts";

/** `line:column`, empty where a mistake has no place, and the message. */
export type Problem = readonly [position: string, message: string];

export interface CheckedConfig extends Exit {
  readonly file: string;
  /** What was started or called although nothing should have been. */
  readonly touched: readonly string[];
}

/**
 * Runs `check` on a file of its own. `@servers` and `@mcps` in the text stand for servers that leave traces when they
 * are reached, with the indentation they are written at.
 */
export async function checkConfig(text: string, name = "tacklebox.yaml"): Promise<CheckedConfig> {
  const tripwire = await setTripwire();
  const filled = text
    .replace(/^( *)@servers\n?/m, (_, spaces: string) => tripwire.servers(spaces.length))
    .replace(/^( *)@mcps\n?/m, (_, spaces: string) => tripwire.mcps(spaces.length));
  const file = await writeConfig(await temporaryFolder(), name, filled);
  const exit = await runProgram(["check", "--config", file], { env: tripwire.env });
  return { ...exit, file, touched: tripwire.touched() };
}

/** All problems in the order of the file and nothing else; nothing was reached, no secret was printed. */
export async function expectRefused(text: string, problems: readonly Problem[], name?: string): Promise<void> {
  const { file, code, stdout, stderr, touched } = await checkConfig(text, name);
  const texts = problems.map(([position, message]) => `${position === "" ? file : `${file}:${position}`}\n${message}`);
  expect(stderr).toBe(`${texts.join("\n\n")}\n`);
  expect({ code, stdout, touched }).toEqual({ code: 1, stdout: "", touched: [] });
  expect(stderr).not.toContain(SECRET);
}

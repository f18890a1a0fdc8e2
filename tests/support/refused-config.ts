import { expect } from "vitest";
import { runProgram } from "./program.ts";
import type { Exit } from "./running-process.ts";
import { SECRET, setTripwire } from "./tripwire.ts";
import { temporaryFolder, writeConfig } from "./workspace.ts";

/** The position as `line:column`, empty if a mistake has none, and the message. */
export type Problem = readonly [position: string, message: string];

export interface CheckedConfig extends Exit {
  readonly file: string;
  /** Servers that were started or called although none should have been. */
  readonly touched: readonly string[];
}

/**
 * Runs `check` on a new file with this text. `@servers` and `@mcps` in the text are replaced, at their indentation, by
 * servers that leave traces when they are reached.
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

/**
 * Asserts that exactly these problems are reported, in file order, that no server was reached and no secret was
 * printed.
 */
export async function expectRefused(text: string, problems: readonly Problem[], name?: string): Promise<void> {
  const { file, code, stdout, stderr, touched } = await checkConfig(text, name);
  const texts = problems.map(([position, message]) => `${position === "" ? file : `${file}:${position}`}\n${message}`);
  expect(stderr).toBe(`${texts.join("\n\n")}\n`);
  expect({ code, stdout, touched }).toEqual({ code: 1, stdout: "", touched: [] });
  expect(stderr).not.toContain(SECRET);
}

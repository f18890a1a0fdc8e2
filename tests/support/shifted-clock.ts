import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./workspace.ts";

export const DAY_MS = 24 * 60 * 60 * 1_000;

export interface ShiftedClock {
  /** Makes a program that is started with it read this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock so many milliseconds ahead of the real one, or behind it if negative; at once, for all programs. */
  shift(ms: number): void;
}

/** A wall clock that a test can set. Time passes in it as it does, and monotonic clocks are not affected. */
export async function shiftedClock(): Promise<ShiftedClock> {
  const file = join(await temporaryFolder(), "shift");
  const shift = (ms: number) => {
    writeFileSync(`${file}.new`, String(ms));
    renameSync(`${file}.new`, file);
  };
  shift(0);
  const module = new URL("shift-clock.mjs", import.meta.url);
  return { env: { NODE_OPTIONS: `--import=${module.href}`, SHIFT_FILE: file }, shift };
}

import { it } from "vitest";
import { releasedBy } from "./release.ts";

/** A test within `describe.concurrent`: what it opens is released when it ends, not when one of the others does. */
export function itAlongside(name: string, check: () => Promise<void>): void {
  it(name, ({ onTestFinished }) => releasedBy(onTestFinished, check));
}

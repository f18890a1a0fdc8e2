// biome-ignore lint/correctness/useImportExtensions: the file is build.mjs; its build.d.mts only holds the types.
import { buildFixtures } from "../fixtures/build.mjs";

/** Vitest's globalSetup: tests start the fixtures as built programs. */
export default async function setup(): Promise<void> {
  await buildFixtures();
}

import { buildFixtures } from "../fixtures/build.mjs";

/** Vitest's globalSetup: tests start the fixtures as built programs. */
export default async function setup(): Promise<void> {
  await buildFixtures();
}

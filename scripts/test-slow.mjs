// @ts-check
// npm run test:slow: tests that necessarily take minutes, such as a silence of more than five. Not part of npm test.
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { binOf, exitWith, runNode } from "./run.mjs";

await exitWith(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const args = ["run", "--config", "vitest.slow.config.ts", ...process.argv.slice(2)];
  const { code } = await runNode([binOf("vitest"), ...args]);
  return code;
});

// @ts-check
// npm run test:kill -- [rounds] [--seed N]: kills the program at random moments and checks its call log.
import { parseArgs } from "node:util";
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { binOf, exitWith, runNode, say } from "./run.mjs";

await exitWith(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
  const [rounds = "500"] = positionals;
  const numbers = [rounds, values.seed ?? "0"];
  if (positionals.length > 1 || numbers.some((text) => !/^\d{1,9}$/.test(text)) || Number(rounds) === 0) {
    say("Usage: npm run test:kill -- [rounds] [--seed N]");
    return 2;
  }
  await ensureInstalled();
  await ensureBuilt();
  const seed = values.seed === undefined ? {} : { TACKLEBOX_KILL_SEED: values.seed };
  const { code } = await runNode([binOf("vitest"), "run", "--project", "integration", "tests/kill/kill.test.ts"], {
    env: { ...process.env, TACKLEBOX_KILL_ROUNDS: rounds, ...seed },
  });
  return code;
});

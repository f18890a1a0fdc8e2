// @ts-check
// npm start: a short tour. npm start -- <arguments>: the program itself.
import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { exitWith, root, runNode, say } from "./run.mjs";

const program = "apps/tacklebox/bin/tacklebox.js";
const config = ["--config", "examples/quickstart.yaml"];
const tour = [
  { title: "The tools of the two example servers", args: ["tools", ...config] },
  {
    title: "One call",
    args: ["call", "everything", "echo", "--args", '{"message":"hello from tacklebox"}', ...config],
  },
];

await exitWith(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const given = process.argv.slice(2);
  return given.length > 0 ? runProgram(given) : runTour();
});

async function runTour() {
  // The tour keeps its records to itself: its servers are not the visitor's.
  const env = { ...process.env, TACKLEBOX_DATA: join(root, ".cache/tour") };
  for (const { title, args } of tour) {
    say(`\n${title}\n`);
    const code = await runProgram(args, env);
    if (code !== 0) return code;
  }
  say("\nNext: npm start -- --help");
  return 0;
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
async function runProgram(args, env = process.env) {
  const { code } = await runNode([program, ...args], { stdin: "inherit", env });
  return code;
}

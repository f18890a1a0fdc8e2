// @ts-check
// npm run test:node -- 24 [vitest arguments]: npm test on another Node version, installed from npm.
import { delimiter, dirname } from "node:path";
import { findNode, MAJORS } from "./find-node.mjs";
import { exitWith, runNode, say } from "./run.mjs";

await exitWith(async () => {
  const [major = "", ...args] = process.argv.slice(2);
  if (!MAJORS.includes(major)) {
    say(`Usage: npm run test:node -- ${MAJORS.join("|")} [vitest arguments]`);
    return 2;
  }
  const node = await findNode(major);
  if (node.kind === "missing") throw new Error(`Cannot test on Node ${major}: ${node.why}.`);
  // Servers that tests start as `node` run on that version too.
  const env = { ...process.env, PATH: `${dirname(node.file)}${delimiter}${process.env.PATH ?? ""}` };
  const { code } = await runNode(["scripts/test.mjs", ...args], { node: node.file, env });
  return code;
});

// @ts-check
// npm run build: types, then the bundle.
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { binOf, exitWith, runNode, say } from "./run.mjs";

await exitWith(async () => {
  await ensureInstalled();
  const types = await runNode([binOf("typescript", "tsc"), "-b"]);
  if (types.code === 0) await ensureBuilt();
  else say("The types do not check, so nothing was bundled.");
  return types.code;
});

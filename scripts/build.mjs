// @ts-check
// npm run build: types, then the bundle.
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { binOf, runNode, say } from "./run.mjs";

await ensureInstalled();
const types = await runNode([binOf("typescript", "tsc"), "-b"]);
if (types.code === 0) await ensureBuilt();
else say("The types do not check, so nothing was bundled.");
process.exitCode = types.code;

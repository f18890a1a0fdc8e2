// @ts-check
// Run by npm when somebody packs the workspace, which holds sources and no program.
import { say } from "./run.mjs";

say("The package is made by `npm run pack` in the root of the repository.");
process.exitCode = 1;

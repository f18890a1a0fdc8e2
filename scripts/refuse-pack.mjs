// @ts-check
// Run by npm before it packs the workspace, which has only sources and no built program.
import { say } from "./run.mjs";

say("The package is made by `npm run pack` in the root of the repository.");
process.exitCode = 1;

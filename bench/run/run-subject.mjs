// @ts-check
// node run-subject.mjs <module> <options as JSON>: runs one subject in this process and prints its figures as JSON.
import { pathToFileURL } from "node:url";

const [file = "", options = "{}"] = process.argv.slice(2);
const { run } = await import(pathToFileURL(file).href);
const figures = await run(JSON.parse(options));
// Some subjects leave timers or sockets open, so the process has to be ended.
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));

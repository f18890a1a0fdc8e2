// @ts-check
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * @typedef {object} Finished
 * @property {number} code the exit code; 1 when a signal ended it
 * @property {string} output stdout and stderr together when captured, else empty
 */

/**
 * Runs a Node program, from the root by default, and waits for it. Never rejects: if it cannot start, the code is 1.
 *
 * @param {readonly string[]} args
 * @param {{ capture?: boolean, stdin?: "inherit" | "ignore", env?: NodeJS.ProcessEnv, cwd?: string, node?: string }} [options]
 *   `node`: the Node to use instead of the running one
 * @returns {Promise<Finished>}
 */
export function runNode(args, options = {}) {
  const out = options.capture ? "pipe" : "inherit";
  const child = spawn(options.node ?? process.execPath, args, {
    cwd: options.cwd ?? root,
    env: options.env ?? process.env,
    stdio: [options.stdin ?? "ignore", out, out],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const release = followSignals(child);
  return new Promise((done) => {
    child.on("error", (error) => done({ code: 1, output: `${output}${error.message}\n` }));
    child.on("close", (code) => {
      release();
      done({ code: code ?? 1, output });
    });
  });
}

/**
 * Lets the child decide how to end. A terminal sends SIGINT to both processes, so this one only ignores it; SIGTERM is
 * sent to this process alone and passed on.
 *
 * @param {import("node:child_process").ChildProcess} child
 */
function followSignals(child) {
  const survive = () => {};
  const pass = () => child.kill("SIGTERM");
  process.on("SIGINT", survive);
  process.on("SIGTERM", pass);
  return () => {
    process.off("SIGINT", survive);
    process.off("SIGTERM", pass);
  };
}

/**
 * Returns the file of an installed package's command, so that it runs without a shell on every platform.
 *
 * @param {string} name the package
 * @param {string} [command] needed when it is not named like the package
 */
export function binOf(name, command = name) {
  const manifestPath = join(root, "node_modules", name, "package.json");
  const { bin } = createRequire(import.meta.url)(manifestPath);
  return join(dirname(manifestPath), typeof bin === "string" ? bin : bin[command]);
}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Exits with the code that `main` returns. An error it throws is printed without a stack.
 *
 * @param {() => Promise<number>} main
 */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

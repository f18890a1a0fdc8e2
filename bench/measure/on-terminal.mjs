// @ts-check
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * @typedef {object} TerminalSubject
 * @property {(keys: string) => void} type
 * @property {(text: string) => Promise<number>} cpuWhen CPU milliseconds the program has used by the time this text appears, searching after the text of the previous call
 * @property {() => Promise<void>} close
 */

const MAX_WAIT_MS = 60_000;

/**
 * Starts a Node program on a pseudo-terminal and measures its CPU time.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<TerminalSubject>}
 */
export async function startOnTerminal(args, env) {
  const words = [process.execPath, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const script = spawn("script", ["-qfec", `stty cols 80 rows 24; exec ${words}`, "/dev/null"], {
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let sent = "";
  let seen = 0;
  /** @type {() => void} */
  let look = () => undefined;
  script.stdout.setEncoding("utf8").on("data", (text) => {
    sent += text;
    look();
  });
  const closed = new Promise((resolve) => script.once("close", resolve));

  return {
    type: (keys) => void script.stdin.write(keys),
    cpuWhen(text) {
      return new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`no ${text} on the terminal: ${sent.slice(-2_000)}`)),
          MAX_WAIT_MS,
        );
        look = () => {
          const at = sent.indexOf(text, seen);
          if (at === -1) return;
          // Read this first: the program keeps working.
          const cpu = cpuBelow(script.pid ?? 0);
          seen = at + text.length;
          look = () => undefined;
          clearTimeout(limit);
          resolve(cpu);
        };
        look();
      });
    },
    async close() {
      script.kill("SIGTERM");
      await closed;
    },
  };
}

/**
 * Sums all threads of the one process that `script` runs; finer than the hundredths of a second in /proc/PID/stat.
 *
 * @param {number} parent
 */
function cpuBelow(parent) {
  const [pid] = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ");
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`);
  return threads.reduce((sum, file) => sum + Number(readFileSync(file, "utf8").split(" ")[0]), 0) / 1_000_000;
}

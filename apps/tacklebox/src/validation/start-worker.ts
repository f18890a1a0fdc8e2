import { Worker } from "node:worker_threads";
import type { ValidationWorker } from "@tacklebox/core";
import type { FromWorker, ToWorker } from "./messages.ts";

/** Beside this file, once both are bundled. */
export const WORKER_FILE = new URL("./worker-entry.js", import.meta.url);

/** A check that wants more than this is stopped by its thread's end, not by ours. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** A thread that checks values, whose end, by whatever cause, is not the end of this process. */
export function startValidationWorker(file: URL): ValidationWorker {
  // Neither arguments nor environment: it needs none, and a server's schema runs there.
  const worker = new Worker(file, { resourceLimits: MEMORY, env: {}, argv: [], execArgv: [], stdin: false });
  // Nobody waits for a check once the rest of the program is done.
  worker.unref();
  let broken: Error | undefined;
  const fail = (error: unknown) => {
    broken ??= error instanceof Error ? error : new Error("The validation worker has ended");
    waiting?.reject(broken);
  };
  let waiting: { reject(error: Error): void } | undefined;
  worker.on("error", fail);
  worker.on("messageerror", fail);
  worker.on("exit", fail);

  return {
    check: (job, onStart) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) return reject(broken);
        waiting = { reject };
        worker.removeAllListeners("message");
        worker.on("message", (message: FromWorker) => {
          if (message.kind === "started") return onStart();
          return resolve(message.answer);
        });
        worker.postMessage(job satisfies ToWorker);
      }),
    stop: () => void worker.terminate(),
  };
}

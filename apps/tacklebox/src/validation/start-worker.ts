import { Worker } from "node:worker_threads";
import type { ValidationWorker } from "@tacklebox/core";
import type { FromWorker, ToWorker } from "./messages.ts";

/** The build puts it next to the bundle of this file. */
export const WORKER_FILE = new URL("./worker-entry.js", import.meta.url);

/** A check that needs more memory than this ends its own thread instead of the process. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** Starts a thread that checks values. However it ends, this process lives on. */
export function startValidationWorker(file: URL): ValidationWorker {
  // The thread gets neither arguments nor environment: it needs none, and it runs schemas that servers wrote.
  const worker = new Worker(file, { resourceLimits: MEMORY, env: {}, argv: [], execArgv: [], stdin: false });
  // A check in progress must not keep the process alive.
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

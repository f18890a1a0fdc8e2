import { parentPort } from "node:worker_threads";
import { createJobAnswerer } from "@tacklebox/core/validation-worker";
import type { FromWorker, ToWorker } from "./messages.ts";

const answerJob = await createJobAnswerer();

parentPort?.on("message", (job: ToWorker) => {
  send({ kind: "started" });
  void answerJob(job).then((answer) => send({ kind: "answered", answer }));
});

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

import {
  type CallsOptions,
  type DurableOptions,
  measureCalls,
  measureDurable,
  measureSlowDisk,
  type SlowDiskOptions,
} from "./calls.ts";
import { type CatalogOptions, measureResolve, measureStart } from "./catalog.ts";
import { type ChatOptions, measureChat } from "./chat.ts";
import { measureReady, type ReadyOptions } from "./ready.ts";
import { captureRequests, type RequestsOptions } from "./requests.ts";
import { measureRuns, measureSession, type RunsOptions, type SessionOptions } from "./runs.ts";

type Job =
  | ({ readonly what: "calls" } & CallsOptions)
  | ({ readonly what: "durable" } & DurableOptions)
  | ({ readonly what: "slow disk" } & SlowDiskOptions)
  | ({ readonly what: "ready" } & ReadyOptions)
  | ({ readonly what: "chat" } & ChatOptions)
  | ({ readonly what: "runs" } & RunsOptions)
  | ({ readonly what: "session" } & SessionOptions)
  | ({ readonly what: "start" } & CatalogOptions)
  | ({ readonly what: "resolve" } & CatalogOptions)
  | ({ readonly what: "requests" } & RequestsOptions);

/** Runs one measurement of our own code. This file is bundled the way the program is, and loaded by run-subject.mjs. */
export async function run(job: Job): Promise<unknown> {
  switch (job.what) {
    case "calls":
      return measureCalls(job);
    case "durable":
      return measureDurable(job);
    case "slow disk":
      return measureSlowDisk(job);
    case "ready":
      return measureReady(job);
    case "chat":
      return measureChat(job);
    case "runs":
      return measureRuns(job);
    case "session":
      return measureSession(job);
    case "start":
      return measureStart(job);
    case "resolve":
      return measureResolve(job);
    case "requests":
      return captureRequests(job);
  }
}

import type { StopSignal } from "../async/stop.ts";
import type { ArgumentProblem } from "../domain/call.ts";
import type { Clock } from "../ports/clock.ts";
import type { StartValidationWorker, ValidationAnswer, ValidationJob } from "../ports/validator.ts";
import { createFairQueue } from "./fair-queue.ts";
import { createStrikes } from "./strikes.ts";
import { createWorkers, type Workers } from "./workers.ts";

const DEADLINE_MS = 250;
/** Starting a thread takes long on a busy machine; after this we assume that it never will. */
const MAX_START_MS = 10_000;
const MAX_WAIT_MS = 5_000;
const MAX_WAITING = 64;
const MAX_WAITING_PER_SCHEMA = 8;

const TOO_LONG = `it took longer than ${DEADLINE_MS} ms and was stopped. Pass shorter arguments, or ask the server's author for a simpler schema`;
const BROKEN = "its worker ended before it was finished, perhaps for lack of memory. Pass shorter arguments";
const CANCELLED = "the call was cancelled";
const TOO_MANY = "too many checks that take long are waiting. Try again later";
const WAITED = `it waited ${MAX_WAIT_MS / 1000} s behind other checks that take long. Try again later`;

export interface CostlyChecks {
  check(job: ValidationJob, signal: StopSignal): Promise<readonly ArgumentProblem[]>;
  close(): void;
}

interface Entry {
  readonly job: ValidationJob;
  settle(outcome: Outcome): void;
}

type Outcome =
  | { readonly kind: "checked"; readonly problems: readonly ArgumentProblem[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Runs slow checks one at a time. Schemas take turns, so that none can block the others. */
export function createCostlyChecks(startWorker: StartValidationWorker, clock: Clock): CostlyChecks {
  const workers = createWorkers(startWorker);
  const strikes = createStrikes(clock);
  const queue = createFairQueue<Entry>();
  let pumping = false;
  let closed = false;

  const pump = async (): Promise<void> => {
    if (pumping) return;
    pumping = true;
    for (let entry = queue.takeNext(); entry !== undefined; entry = queue.takeNext())
      entry.settle(await run(entry.job));
    pumping = false;
  };

  const run = async (job: ValidationJob): Promise<Outcome> => {
    // Other checks with the same schema may have failed while this one waited.
    const refusal = strikes.refusal(job.schema);
    if (refusal !== undefined) return { kind: "refused", reason: refusal };
    const ended = await runInWorker(job, workers, clock);
    if (ended.kind === "answered") {
      strikes.clear(job.schema);
      return ended.answer.kind === "checked" ? ended.answer : { kind: "refused", reason: ended.answer.reason };
    }
    if (closed) return { kind: "refused", reason: CANCELLED };
    strikes.add(job.schema);
    workers.replace();
    return { kind: "refused", reason: ended.kind === "overdue" ? TOO_LONG : BROKEN };
  };

  return {
    async check(job, signal) {
      const refusal = strikes.refusal(job.schema);
      if (refusal !== undefined) throw new Error(refusal);
      if (signal.aborted || closed) throw new Error(CANCELLED);
      if (queue.length >= MAX_WAITING || queue.lengthOf(job.schema) >= MAX_WAITING_PER_SCHEMA)
        throw new Error(TOO_MANY);
      const outcome = await new Promise<Outcome>((settle) => {
        const entry: Entry = {
          job,
          settle(end) {
            stopWaiting();
            signal.removeEventListener("abort", cancel);
            queue.remove(job.schema, entry);
            settle(end);
          },
        };
        // A check that is already running goes on until its deadline, but its result is no longer awaited.
        const cancel = () => entry.settle({ kind: "refused", reason: CANCELLED });
        const stopWaiting = clock.after(MAX_WAIT_MS, () => {
          if (queue.remove(job.schema, entry)) entry.settle({ kind: "refused", reason: WAITED });
        });
        signal.addEventListener("abort", cancel, { once: true });
        queue.add(job.schema, entry);
        void pump();
      });
      if (outcome.kind === "refused") throw new Error(outcome.reason);
      return outcome.problems;
    },
    close() {
      closed = true;
      workers.close();
    },
  };
}

type JobEnd =
  | { readonly kind: "answered"; readonly answer: ValidationAnswer }
  | { readonly kind: "overdue" }
  | { readonly kind: "broken" };

/** The deadline counts from when the worker begins the job: a slow thread start is not the schema's fault. */
function runInWorker(job: ValidationJob, workers: Workers, clock: Clock): Promise<JobEnd> {
  return new Promise((resolve) => {
    let cancelTimer = clock.after(MAX_START_MS, () => end({ kind: "broken" }));
    let isOver = false;
    const end = (how: JobEnd) => {
      isOver = true;
      cancelTimer();
      resolve(how);
    };
    const begin = () => {
      cancelTimer();
      if (!isOver) cancelTimer = clock.after(DEADLINE_MS, () => end({ kind: "overdue" }));
    };
    workers
      .current()
      .then((worker) => worker.check(job, begin))
      .then(
        (answer) => end({ kind: "answered", answer }),
        () => end({ kind: "broken" }),
      );
  });
}

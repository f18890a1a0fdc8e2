import type { StartValidationWorker, ValidationWorker } from "../ports/validator.ts";

/** The worker that runs checks and, once one had to be stopped, a spare that is ready to replace it. */
export interface Workers {
  current(): Promise<ValidationWorker>;
  /** Stops the current worker; the next check gets another. */
  replace(): void;
  close(): void;
}

export function createWorkers(startWorker: StartValidationWorker): Workers {
  let active: Promise<ValidationWorker> | undefined;
  let spare: Promise<ValidationWorker> | undefined;

  const start = () => {
    const started = startWorker();
    // A caller that waits for it sees the rejection; a spare that cannot start is noticed when it is needed.
    started.catch(() => undefined);
    return started;
  };
  const stopWorker = (worker: Promise<ValidationWorker> | undefined) => {
    worker?.then(
      (started) => started.stop(),
      () => undefined,
    );
  };

  return {
    current() {
      active ??= start();
      return active;
    },
    replace() {
      stopWorker(active);
      active = spare ?? start();
      spare = start();
    },
    close() {
      stopWorker(active);
      stopWorker(spare);
      active = undefined;
      spare = undefined;
    },
  };
}

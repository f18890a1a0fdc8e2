import type { StartValidationWorker, ValidationWorker } from "../ports/validator.ts";

/** The one worker that checks, and after the first that had to be ended, a second that is ready to take its place. */
export interface Workers {
  current(): Promise<ValidationWorker>;
  /** Ends the current one; the next check finds another. */
  replace(): void;
  close(): void;
}

export function createWorkers(startWorker: StartValidationWorker): Workers {
  let active: Promise<ValidationWorker> | undefined;
  let spare: Promise<ValidationWorker> | undefined;

  const start = () => {
    const started = startWorker();
    // Whoever waits for it is told; a spare that cannot start is found out when it is needed.
    started.catch(() => undefined);
    return started;
  };
  const end = (worker: Promise<ValidationWorker> | undefined) => {
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
      end(active);
      active = spare ?? start();
      spare = start();
    },
    close() {
      end(active);
      end(spare);
      active = undefined;
      spare = undefined;
    },
  };
}

/** Asks a person one question after the other during a run, so that no two of them share the keyboard. */
export interface QuestionQueue {
  /**
   * Calls `ask` when all earlier questions have ended. Its signal is aborted by `withdrawn` or the end of the run; if
   * that happens before its turn, `ask` is called at once with the aborted signal.
   */
  add<T>(ask: (signal: AbortSignal) => Promise<T>, withdrawn: AbortSignal): Promise<T>;
}

export function createQuestionQueue(run: AbortSignal): QuestionQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(ask, withdrawn) {
      const signal = AbortSignal.any([withdrawn, run]);
      const asked = Promise.race([last, abortOf(signal)]).then(() => ask(signal));
      last = Promise.allSettled([last, asked]);
      return asked;
    },
  };
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** What a person is asked in the course of one run, one thing after the other: no two prompts share the keyboard. */
export interface QuestionLine {
  /**
   * Asks when everything before it has come to an end. The signal it is given is aborted with the run too; what was
   * withdrawn before its turn is called at once, with a signal that is aborted already.
   */
  add<T>(ask: (signal: AbortSignal) => Promise<T>, withdrawn: AbortSignal): Promise<T>;
}

export function createQuestionLine(run: AbortSignal): QuestionLine {
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

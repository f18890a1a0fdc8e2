import type { CallFinish } from "@tacklebox/core";

/**
 * A request whose `finished` is computed only when it is read. This is a class because a getter in an object literal
 * gives each object its own hidden class, and those live until the next full garbage collection, keeping every call
 * since the last one alive.
 */
export class LazyInFlight<Answer> {
  readonly answer: Promise<Answer>;
  readonly #finished: () => Promise<CallFinish>;

  constructor(answer: Promise<Answer>, finished: () => Promise<CallFinish>) {
    this.answer = answer;
    this.#finished = finished;
  }

  get finished(): Promise<CallFinish> {
    // A caller that only awaits `finished` must not cause an unhandled rejection of `answer`.
    this.answer.catch(ignore);
    return this.#finished();
  }
}

function ignore(): void {}

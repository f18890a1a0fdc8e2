import type { CallFinish } from "@tacklebox/core";

/**
 * A request whose `finished` is worked out when somebody asks. A class, because a getter written into an object literal
 * gives each object a shape of its own, and shapes live until the next full collection: with them every call since the
 * last one.
 */
export class RequestsInFlight<Answer> {
  readonly answer: Promise<Answer>;
  readonly #finished: () => Promise<CallFinish>;

  constructor(answer: Promise<Answer>, finished: () => Promise<CallFinish>) {
    this.answer = answer;
    this.#finished = finished;
  }

  get finished(): Promise<CallFinish> {
    // Whoever only waits for this must not bring the process down.
    this.answer.catch(ignore);
    return this.#finished();
  }
}

function ignore(): void {}

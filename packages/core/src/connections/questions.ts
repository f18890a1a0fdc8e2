import type { Clock } from "../ports/clock.ts";
import type { OpenOptions } from "../ports/connector.ts";

type Elicit = NonNullable<OpenOptions["elicit"]>;

/** One server's questions to the person. */
export interface Questions {
  /** The same questions, kept count of. One that nobody answers in time is answered for them: cancelled. */
  counted(elicit: Elicit): Elicit;
  /** How long, all in all, at least one question has been open. */
  openMs(): number;
}

/** As long as an approval waits. */
const ANSWER_WITHIN_MS = 10 * 60_000;

export function createQuestions(clock: Clock): Questions {
  let open = 0;
  let since = 0;
  let passedMs = 0;

  const openMs = () => passedMs + (open > 0 ? clock.monotonic() - since : 0);

  function begin(): void {
    if (open === 0) since = clock.monotonic();
    open += 1;
  }

  function end(): void {
    if (open === 1) passedMs = openMs();
    open -= 1;
  }

  return {
    openMs,
    counted: (elicit) => async (request, signal) => {
      const late = new AbortController();
      const withdraw = clock.after(ANSWER_WITHIN_MS, () => late.abort());
      begin();
      try {
        return await elicit(request, AbortSignal.any([signal, late.signal]));
      } catch (error) {
        if (late.signal.aborted && !signal.aborted) return { kind: "cancel" };
        throw error;
      } finally {
        end();
        withdraw();
      }
    },
  };
}

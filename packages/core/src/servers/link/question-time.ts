import type { Clock } from "../../ports/clock.ts";
import type { OpenOptions } from "../../ports/connector.ts";

type Elicit = NonNullable<OpenOptions["elicit"]>;

/** Measures how long one server has waited for answers to its questions, which does not count as its calls' time. */
export interface QuestionTime {
  /** Wraps `elicit` so that the time until each answer is measured. */
  counted(elicit: Elicit): Elicit;
  /** The total time during which at least one question was open. */
  openMs(): number;
}

export function createQuestionTime(clock: Clock): QuestionTime {
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
      begin();
      try {
        return await elicit(request, signal);
      } finally {
        end();
      }
    },
  };
}

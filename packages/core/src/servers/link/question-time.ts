import type { Clock } from "../../ports/clock.ts";
import type { OpenOptions } from "../../ports/connector.ts";

type Elicit = NonNullable<OpenOptions["elicit"]>;

/** One server's questions to the person, as far as they cost its calls time. */
export interface QuestionTime {
  /** The same questions, kept count of. */
  counted(elicit: Elicit): Elicit;
  /** How long, all in all, at least one question has been open. */
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

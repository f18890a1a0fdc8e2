import type { EngineRuns, Numbered, RunEvent, RunRequest } from "../../packages/core/src/index.ts";

/** Runs that say what they are told to, at next to no cost of their own: what is measured is who shows them. */
export function toldRuns(tell: (request: RunRequest) => AsyncGenerator<RunEvent, void>): EngineRuns {
  let told: AsyncGenerator<RunEvent, void> | undefined;
  return {
    async start(request) {
      told = tell(request);
      return "run";
    },
    events: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => numbered(await told?.next()) }) }),
    cancel: async () => false,
    setApprovalMode: async () => false,
    list: async () => [],
  };
}

function numbered(step: IteratorResult<RunEvent, void> | undefined): IteratorResult<Numbered<RunEvent>, undefined> {
  if (step === undefined || step.done === true) return { done: true, value: undefined };
  return { done: false, value: { id: "", at: "", event: step.value } };
}

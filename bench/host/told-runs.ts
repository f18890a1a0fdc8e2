import type { EngineRuns, Numbered, RunEvent, RunRequest } from "../../packages/core/src/index.ts";

export type Told = AsyncGenerator<Numbered<RunEvent>, void>;

/** Runs that say what they are told to, at next to no cost of their own: what is measured is who shows them. */
export function toldRuns(tell: (request: RunRequest) => Told): EngineRuns {
  let told = nothing();
  return {
    async start(request) {
      told = tell(request);
      return "run";
    },
    events: () => told,
    cancel: async () => false,
    setApprovalMode: async () => false,
    list: async () => [],
  };
}

export function numbered(event: RunEvent): Numbered<RunEvent> {
  return { id: "", at: "", event };
}

async function* nothing(): Told {
  yield numbered({ type: "gap" });
}

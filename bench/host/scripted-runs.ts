import type { EngineRuns, Numbered, RunEvent, RunRequest } from "../../packages/core/src/index.ts";

export type ScriptedEvents = AsyncGenerator<Numbered<RunEvent>, void>;

/** Runs whose events come from `script` at almost no cost, so that only the code that displays them is measured. */
export function scriptedRuns(script: (request: RunRequest) => ScriptedEvents): EngineRuns {
  let events = noEvents();
  return {
    async start(request) {
      events = script(request);
      return "run";
    },
    events: () => events,
    cancel: async () => false,
    confirmShown: async () => true,
    setApprovalMode: async () => false,
    list: async () => [],
  };
}

export function numbered(event: RunEvent): Numbered<RunEvent> {
  return { id: "", at: "", event };
}

async function* noEvents(): ScriptedEvents {
  yield numbered({ type: "gap" });
}

import { type StreamOptions, streamRun } from "../client/stream-run.ts";
import type { CallOutcome } from "../domain/call.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { RunEnd, RunEvent, RunRequest } from "../domain/run.ts";
import type { Engine } from "../engine.ts";
import { createScriptedModel, type ScriptedTurn, scriptedModels } from "./scripted-model.ts";
import { testDefinition } from "./test-definition.ts";
import { createTestEngine, type TestEngineOptions } from "./test-engine.ts";

/** The one tool of the server `s` in test runs. */
export const ECHO = {
  name: "echo",
  description: "Says it again",
  inputSchema: { type: "object", required: ["message"] },
};

export const TEST_GPT: Gpt = {
  key: "helper",
  name: "Helper",
  instructions: "Be brief.",
  tools: {},
  approval: "always-ask",
  trustedTools: [],
};

/** Starts a real engine with a scripted model and one server with one tool. */
export async function startTestRuns(turns: readonly ScriptedTurn[], options: TestEngineOptions = {}, summary = {}) {
  const model = createScriptedModel(turns, summary);
  const test = createTestEngine({
    servers: [testDefinition("s")],
    ...options,
    ports: { models: scriptedModels(model), ...options.ports },
  });
  test.connector.server("s").tools = [ECHO];
  await test.host.start();
  /** Works a prompt to its end, shows new definitions, and returns all other events. */
  const run = async (text: string, request: Partial<RunRequest> = {}, runOptions: StreamOptions = {}) => {
    const events: RunEvent[] = [];
    const prompt = [{ type: "text", text } as const];
    for await (const event of streamRun(
      test.engine,
      { prompt, ...request },
      { showsDefinitions: true, ...runOptions },
    )) {
      if (event.type === "definitions-new") await confirmShown(test.engine);
      else events.push(event);
    }
    return events;
  };
  return { ...test, model, run };
}

/** Confirms for every run that its new definitions were shown, as a door does when it has shown them. */
async function confirmShown({ runs }: Engine): Promise<void> {
  for (const { id, status } of await runs.list()) if (status === "running") await runs.confirmShown(id);
}

export function endOfRun(events: readonly RunEvent[]): RunEnd | undefined {
  const last = events.at(-1);
  return last?.type === "run-ended" ? last.end : undefined;
}

/** The types of the events, in order; changes of calls with their status, such as `call running`. */
export function stepsOfRun(events: readonly RunEvent[]): readonly string[] {
  return events.map((event) => (event.type === "call-changed" ? `call ${event.call.status}` : event.type));
}

export function sessionOfRun([first]: readonly RunEvent[]): string {
  return first?.type === "run-started" ? first.sessionId : "";
}

export function outcomesOfRun(events: readonly RunEvent[]): readonly CallOutcome[] {
  return events.flatMap((event) => (event.type === "call-result" ? [event.outcome] : []));
}

import { type ModelTrial, modelContract, type TurnScript } from "@tacklebox/core/testing";
import { describe, it } from "vitest";
import { SPEAK } from "./testing/speak.ts";
import { openModel, SPOKEN, type Spoken, testDefinition } from "./testing/test-models.ts";
import { startVendorServer } from "./testing/vendor-server.ts";

describe.each(SPOKEN)("a model that speaks %s", (spoken) => {
  // OpenAI's chat API does not tell what its models think.
  const without = spoken === "openai chat" ? (["thoughts"] as const) : [];
  for (const { name, run } of modelContract({ open: (script) => openTrial(spoken, script), without })) it(name, run);
});

async function openTrial(spoken: Spoken, script: readonly TurnScript[]): Promise<ModelTrial> {
  const server = await startVendorServer(script.map(SPEAK[spoken]));
  return {
    model: await openModel(testDefinition(spoken, server.url)),
    sent: () => server.requests.map(({ body }) => body),
    working: server.working,
    close: server.close,
  };
}

import { LLMock } from "@copilotkit/aimock";
import type { TurnScript } from "@tacklebox/core/testing";
import { SCRIPTED_REPLIES, startVendorServer, type VendorServer } from "@tacklebox/models/testing";
import { releaseAfterwards } from "./release.ts";

export const LANGUAGES = ["openai responses", "openai chat", "anthropic"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The API key in the model entries of these tests; if it appears in any output, that is a leak. */
export const MODEL_KEY = `canary-model-key-${crypto.randomUUID()}`;

const ENTRIES = {
  "openai responses": { vendor: "openai", model: "gpt-5.4", api: "responses" },
  "openai chat": { vendor: "openai", model: "gpt-4o", api: "chat" },
  anthropic: { vendor: "anthropic", model: "claude-sonnet-5" },
} as const;

/** Returns an entry for `models` in a config file. */
export function modelEntry(language: Language, url: string, more: object = {}): object {
  const { model, ...rest } = ENTRIES[language];
  return { ...rest, model, base_url: `${url}/v1`, api_key: MODEL_KEY, ...more };
}

/**
 * Starts aimock, a third-party model server that supports all these APIs at once. It answers with fixtures the test
 * adds.
 */
export async function startAimock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, chunkSize: 5 });
  await mock.start();
  releaseAfterwards(async () => {
    await mock.stop();
  });
  return mock;
}

/**
 * Starts a model server that plays a script and then repeats its last turn, for behaviour that aimock cannot produce.
 */
export async function startScriptedVendor(language: Language, turns: readonly TurnScript[]): Promise<VendorServer> {
  const server = await startVendorServer(turns.map(SCRIPTED_REPLIES[language]));
  releaseAfterwards(server.close);
  return server;
}

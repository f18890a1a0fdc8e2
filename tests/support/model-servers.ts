import { LLMock } from "@copilotkit/aimock";
import type { TurnScript } from "@tacklebox/core/testing";
import { SPEAK, startVendorServer, type VendorServer } from "@tacklebox/models/testing";
import { releaseAfterwards } from "./release.ts";

export const LANGUAGES = ["openai responses", "openai chat", "anthropic"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What model entries of these tests hold for a key; whoever sees it in an output has found a leak. */
export const MODEL_KEY = `canary-model-key-${crypto.randomUUID()}`;

const ENTRIES = {
  "openai responses": { vendor: "openai", model: "gpt-5.4", api: "responses" },
  "openai chat": { vendor: "openai", model: "gpt-4o", api: "chat" },
  anthropic: { vendor: "anthropic", model: "claude-sonnet-5" },
} as const;

/** An entry of `models` in a config file. */
export function modelEntry(language: Language, url: string, more: object = {}): object {
  const { model, ...rest } = ENTRIES[language];
  return { ...rest, model, base_url: `${url}/v1`, api_key: MODEL_KEY, ...more };
}

/** A model server that other people wrote, speaking all languages at once. It answers by fixtures the test adds. */
export async function startAimock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, chunkSize: 5 });
  await mock.start();
  releaseAfterwards(async () => {
    await mock.stop();
  });
  return mock;
}

/** A model server that follows a script turn by turn, the last one again and again; for what aimock cannot be made to do. */
export async function startScriptedVendor(language: Language, turns: readonly TurnScript[]): Promise<VendorServer> {
  const server = await startVendorServer(turns.map(SPEAK[language]));
  releaseAfterwards(server.close);
  return server;
}

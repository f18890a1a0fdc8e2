import type { ModelDefinition } from "@tacklebox/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createModels } from "../create-models.ts";
import { SCRIPTED_REPLIES } from "../testing/scripted-replies.ts";
import { API_NAMES, type ApiName, openModel, readAll, testDefinition } from "../testing/test-models.ts";
import { startVendorServer } from "../testing/vendor-server.ts";

/** Everything that an SDK of a vendor might look for by itself. */
const VARIABLES = [
  "OPENAI_API_KEY",
  "OPENAI_ORG_ID",
  "OPENAI_ORGANIZATION",
  "OPENAI_PROJECT_ID",
  "OPENAI_ADMIN_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "COMPATIBLE_API_KEY",
  "AI_GATEWAY_API_KEY",
];
const CANARY = "canary-of-the-environment";

beforeEach(() => {
  for (const name of VARIABLES) vi.stubEnv(name, `${CANARY}-${name}`);
  for (const name of ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"]) vi.stubEnv(name, "http://127.0.0.1:9/elsewhere");
});
afterEach(() => vi.unstubAllEnvs());

const WITHOUT_KEY: readonly (readonly [string, ApiName, Partial<ModelDefinition>])[] = [
  ["responses", "openai responses", { vendor: "openai-compatible", api: "responses" }],
  ["chat", "openai-compatible", { vendor: "openai-compatible" }],
];

it.each(WITHOUT_KEY)(
  "T07 a server of OpenAI's %s API gets no key where the definition has none",
  async (_, api, more) => {
    const server = await startVendorServer([SCRIPTED_REPLIES[api]({ kind: "answer", text: "Yes." })]);
    const { apiKey: _apiKey, ...definition } = testDefinition(api, server.url, more);
    await readAll(await openModel(definition));
    const models = createModels({ definitions: [definition], resolveSecret: (text) => Promise.resolve(text) });
    await models.embed?.("m", ["a text"], new AbortController().signal).catch(() => undefined);
    await server.close();
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests)).not.toContain(CANARY);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  },
);

it.each(API_NAMES)("T07 %s gets the key of the definition and no other", async (api) => {
  const server = await startVendorServer([SCRIPTED_REPLIES[api]({ kind: "answer", text: "Yes." })]);
  await readAll(await openModel(testDefinition(api, server.url)));
  await server.close();
  expect(server.requests).toHaveLength(1);
  expect(JSON.stringify(server.requests)).not.toContain(CANARY);
});

it.each(["openai", "anthropic"] as const)("T07 a model of %s without a key sends nothing", async (vendor) => {
  const server = await startVendorServer([{ kind: "body", status: 200, body: "{}" }]);
  const api = vendor === "openai" ? "openai responses" : "anthropic";
  for (const apiKey of [undefined, ""]) {
    const { apiKey: _apiKey, ...rest } = testDefinition(api, server.url);
    const model = await openModel(apiKey === undefined ? rest : { ...rest, apiKey });
    await expect(readAll(model)).rejects.toMatchObject({ code: "auth" });
  }
  await server.close();
  expect(server.requests).toEqual([]);
});

it.each(["Authorization", "authorization"])("a header %s takes the place of the key", async (name) => {
  const server = await startVendorServer([SCRIPTED_REPLIES["openai responses"]({ kind: "answer", text: "Yes." })]);
  const more = { vendor: "openai-compatible", api: "responses", headers: { [name]: "Basic abc" } } as const;
  const { apiKey: _apiKey, ...definition } = testDefinition("openai responses", server.url, more);
  await readAll(await openModel(definition));
  await server.close();
  expect(server.requests[0]?.headers.authorization).toBe("Basic abc");
});

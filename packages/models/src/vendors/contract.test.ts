import { MODEL_VENDORS, type ModelDefinition, VENDOR_RULES } from "@tacklebox/core";
import { type ModelTrial, modelContract, type TurnScript } from "@tacklebox/core/testing";
import { describe, it } from "vitest";
import { SCRIPTED_REPLIES } from "../testing/scripted-replies.ts";
import { KEY, openModel } from "../testing/test-models.ts";
import { startVendorServer } from "../testing/vendor-server.ts";
import { apiStyleOf } from "./vendors.ts";

/** Every vendor with each API that can be chosen for it. */
const VENDOR_APIS = MODEL_VENDORS.flatMap((vendor) => {
  const apis = VENDOR_RULES[vendor].apis.map((api) => ({ title: `${vendor}'s API '${api}'`, choice: { vendor, api } }));
  return apis.length > 0 ? apis : [{ title: `${vendor}'s one API`, choice: { vendor } }];
});

describe.each(VENDOR_APIS)("a model used through $title", ({ choice }) => {
  const at = (baseUrl: string): ModelDefinition => ({
    ...{ name: "m", modelId: "a-model", apiKey: KEY, baseUrl, headers: {}, isDefault: false, source: "a test" },
    ...choice,
  });
  const style = apiStyleOf(at(""));
  const without = style.thoughts === "none" ? (["thoughts"] as const) : [];

  const open = async (script: readonly TurnScript[]): Promise<ModelTrial> => {
    const server = await startVendorServer(script.map(SCRIPTED_REPLIES[style.name]));
    return {
      model: await openModel(at(server.url)),
      sent: () => server.requests.map(({ body }) => body),
      working: server.working,
      close: server.close,
    };
  };
  for (const { name, run } of modelContract({ open, without })) it(name, run);
});

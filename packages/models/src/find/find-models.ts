import { MODEL_VENDORS, type ModelDefinition, VENDOR_RULES } from "@tacklebox/core";
import type { Environment } from "../vendors/vendor.ts";
import { VENDORS } from "../vendors/vendors.ts";

/** The environment variables that are searched for API keys. */
export const KEY_VARIABLES: readonly string[] = MODEL_VENDORS.flatMap((vendor) => {
  const { apiKey } = VENDOR_RULES[vendor];
  return apiKey.kind === "required" ? [keyVariable(apiKey.variables)] : [];
});

/**
 * Finds the models whose keys are in the environment, in the order of MODEL_VENDORS: `OPENAI_API_KEY`,
 * `ANTHROPIC_API_KEY` and so on, each with its optional `…_BASE_URL` and `…_MODEL`.
 */
export function findModels(env: Environment): ModelDefinition[] {
  return MODEL_VENDORS.flatMap((vendor) => {
    const rule = VENDOR_RULES[vendor].apiKey;
    if (rule.kind === "optional") return [];
    const { defaultModelId } = VENDORS[vendor];
    const source = keyVariable(rule.variables);
    const apiKey = filled(env[source]);
    const modelId = filled(env[`${rule.variables}_MODEL`]) ?? defaultModelId;
    if (apiKey === undefined || modelId === undefined) return [];
    const baseUrl = filled(env[`${rule.variables}_BASE_URL`]);
    const place = baseUrl === undefined ? {} : { baseUrl };
    return [{ name: vendor, vendor, modelId, apiKey, ...place, headers: {}, isDefault: false, source }];
  });
}

/** Finds the models served by programs on this machine, such as Ollama. */
export async function findLocalModels(fetcher: typeof fetch, env: Environment): Promise<ModelDefinition[]> {
  const found = await Promise.all(Object.values(VENDORS).flatMap((vendor) => vendor.findLocal?.(fetcher, env) ?? []));
  return found.flat();
}

function keyVariable(variables: string): string {
  return `${variables}_API_KEY`;
}

function filled(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === "" ? undefined : text;
}

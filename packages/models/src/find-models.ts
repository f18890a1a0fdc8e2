import type { ModelDefinition } from "@tacklebox/core";

type Environment = Readonly<Record<string, string | undefined>>;

const VENDORS = [
  { vendor: "openai", prefix: "OPENAI", modelId: "gpt-5.4" },
  { vendor: "anthropic", prefix: "ANTHROPIC", modelId: "claude-sonnet-5" },
] as const;

/**
 * The models whose keys the environment holds, best known first: `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`, each with
 * its optional `…_BASE_URL` and `…_MODEL`.
 */
export function findModels(env: Environment): ModelDefinition[] {
  return VENDORS.flatMap(({ vendor, prefix, modelId }) => {
    const apiKey = filled(env[`${prefix}_API_KEY`]);
    if (apiKey === undefined) return [];
    const baseUrl = filled(env[`${prefix}_BASE_URL`]);
    return [
      {
        name: vendor,
        vendor,
        modelId: filled(env[`${prefix}_MODEL`]) ?? modelId,
        apiKey,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        headers: {},
        isDefault: false,
        source: `${prefix}_API_KEY`,
      },
    ];
  });
}

function filled(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === "" ? undefined : text;
}

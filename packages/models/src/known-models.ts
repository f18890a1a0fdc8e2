import type { ModelDefinition, ModelSummary } from "@tacklebox/core";

interface Abilities {
  readonly vision: boolean;
  readonly contextTokens: number;
}

/** Requests with more tools are refused whole. Other vendors, and servers at home, name no such number. */
const MOST_TOOLS: Partial<Record<ModelDefinition["vendor"], number>> = { openai: 128 };

/** First match wins. Only what a definition does not say itself is looked up here. */
const KNOWN: readonly (readonly [pattern: RegExp, abilities: Abilities])[] = [
  [/^gpt-4\.1/, { vision: true, contextTokens: 1_047_576 }],
  [/^gpt-4o|^gpt-4-turbo/, { vision: true, contextTokens: 128_000 }],
  [/^gpt-3\.5/, { vision: false, contextTokens: 16_385 }],
  [/^gpt-4/, { vision: false, contextTokens: 8_192 }],
  [/^o\d-mini/, { vision: false, contextTokens: 200_000 }],
  [/^o\d/, { vision: true, contextTokens: 200_000 }],
  [/^gpt-/, { vision: true, contextTokens: 400_000 }],
  [/^claude-/, { vision: true, contextTokens: 200_000 }],
];

const OF_VENDOR = {
  openai: { vision: true, contextTokens: 128_000 },
  anthropic: { vision: true, contextTokens: 200_000 },
  // Servers at home differ widely; a window that is thought too small only trims early, the other way loses text.
  "openai-compatible": { vision: false, contextTokens: 32_768 },
} satisfies Record<ModelDefinition["vendor"], Abilities>;

/** What a model can take: as configured, else as known of its id, else as usual for its vendor. */
export function abilitiesOf({
  vendor,
  modelId,
  vision,
  contextTokens,
}: ModelDefinition): Abilities & Pick<ModelSummary, "maxTools"> {
  const known = KNOWN.find(([pattern]) => vendor !== "openai-compatible" && pattern.test(modelId))?.[1];
  const usual = known ?? OF_VENDOR[vendor];
  const maxTools = MOST_TOOLS[vendor];
  return {
    vision: vision ?? usual.vision,
    contextTokens: contextTokens ?? usual.contextTokens,
    ...(maxTools !== undefined && { maxTools }),
  };
}

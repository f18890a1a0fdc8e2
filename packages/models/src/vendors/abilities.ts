import type { ModelDefinition, ModelSummary } from "@tacklebox/core";
import type { Abilities } from "./vendor.ts";
import { VENDORS } from "./vendors.ts";

/** A model's abilities: as configured, else as known for its model id, else the vendor's default. */
export function abilitiesOf({
  vendor,
  modelId,
  vision,
  contextTokens,
}: ModelDefinition): Abilities & Pick<ModelSummary, "maxTools"> {
  const { defaultAbilities, maxTools } = VENDORS[vendor];
  const assumed = knownAbilities(vendor, modelId) ?? defaultAbilities;
  return {
    vision: vision ?? assumed.vision,
    contextTokens: contextTokens ?? assumed.contextTokens,
    ...(maxTools !== undefined && { maxTools }),
  };
}

function knownAbilities(vendor: ModelDefinition["vendor"], modelId: string): Abilities | undefined {
  const own = VENDORS[vendor];
  const all = own.modelIds === "local" ? [own] : [own, ...Object.values(VENDORS)];
  return all.flatMap(({ knownModels }) => knownModels).find(([pattern]) => pattern.test(modelId))?.[1];
}

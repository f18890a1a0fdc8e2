import type { ModelDefinition, ModelVendor } from "@tacklebox/core";
import { anthropic } from "./anthropic.ts";
import { compatible } from "./compatible.ts";
import { openai } from "./openai.ts";
import type { ApiStyle, Vendor } from "./vendor.ts";

export const VENDORS = {
  openai,
  anthropic,
  "openai-compatible": compatible,
} satisfies Record<ModelVendor, Vendor>;

export function apiStyleOf(definition: ModelDefinition): ApiStyle {
  return VENDORS[definition.vendor].apiOf(definition);
}

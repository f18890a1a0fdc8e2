import { type JsonObject, MODEL_VENDORS, type ModelTool } from "@tacklebox/core";
import { VENDORS } from "./vendors.ts";

type FormattableTool = Pick<ModelTool, "name" | "description" | "inputSchema">;

/**
 * Converts tools to a provider's own format, schemas untouched. Returns none for a provider without a format (S1.34).
 */
export function formatToolsForProvider(tools: readonly FormattableTool[], provider: string): JsonObject[] {
  const name = MODEL_VENDORS.find((vendor) => vendor === provider);
  const formatTool = name && VENDORS[name].formatTool;
  return formatTool === undefined ? [] : tools.map(formatTool);
}

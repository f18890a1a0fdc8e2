import { format } from "@cfworker/json-schema";

/**
 * Returns the check for a `format`; unknown formats require nothing, as the standard says.
 * `url` is not in the standard, and its usual regular expression takes exponential time, so it is treated as `uri`.
 */
export function formatOf(name: unknown): ((text: string) => boolean) | undefined {
  if (typeof name !== "string") return undefined;
  const known = name === "url" ? "uri" : name;
  return Object.hasOwn(format, known) ? format[known] : undefined;
}

import { format } from "@cfworker/json-schema";

/**
 * What is checked of `format`; names that are not here ask for nothing, as the standard has it.
 * `url` is no format of the standard, and its usual expression takes exponential time (T27): it is read as `uri`.
 */
export function formatOf(name: unknown): ((text: string) => boolean) | undefined {
  if (typeof name !== "string") return undefined;
  const known = name === "url" ? "uri" : name;
  return Object.hasOwn(format, known) ? format[known] : undefined;
}

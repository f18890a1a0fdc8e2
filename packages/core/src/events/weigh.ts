/** About how many characters a value has as JSON, found without writing it out. */
export function estimateBytes(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += estimateBytes(item) + 1;
    return weight;
  }
  // Without a list of entries: every piece of every answer comes by here.
  for (const key in value) weight += key.length + 3 + estimateBytes(Reflect.get(value, key));
  return weight;
}

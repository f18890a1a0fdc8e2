/** About how many characters a value has as JSON, found without writing it out. */
export function weigh(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += weigh(item) + 1;
    return weight;
  }
  // Without a list of entries: every piece of every answer comes by here.
  for (const key in value) weight += key.length + 3 + weigh(Reflect.get(value, key));
  return weight;
}

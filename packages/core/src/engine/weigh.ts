/** About how many characters a value has as JSON, found without writing it out. */
export function weigh(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += weigh(item) + 1;
    return weight;
  }
  for (const [key, member] of Object.entries(value)) weight += key.length + 3 + weigh(member);
  return weight;
}

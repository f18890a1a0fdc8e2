/** Estimates the length of a value as JSON text without serialising it. */
export function estimateJsonLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) length += estimateJsonLength(item) + 1;
    return length;
  }
  // No list of entries is allocated: every piece of every model answer goes through here.
  for (const key in value) length += key.length + 3 + estimateJsonLength(Reflect.get(value, key));
  return length;
}

/** Whether objects and arrays are nested more than `levels` deep. Never recurses deeper than that itself. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => nestsDeeper(item, levels - 1));
  for (const key in value) if (nestsDeeper(Reflect.get(value, key), levels - 1)) return true;
  return false;
}

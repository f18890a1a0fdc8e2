/** Whether any of the patterns matches the whole name. `*` matches any run of characters; everything else is literal. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matches(pattern.split("*"), name));
}

// Walks the literal parts in order instead of building a regular expression, which a crafted pattern could make slow.
function matches(parts: readonly string[], name: string): boolean {
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return name === first;
  if (!name.startsWith(first)) return false;
  const last = rest[rest.length - 1] ?? "";
  let from = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}

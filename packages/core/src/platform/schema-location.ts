type Members = Readonly<Record<string, unknown>>;

/** The schema that has the keyword at this location; references inside the same schema are followed. */
export function schemaHolding(root: unknown, keywordLocation: string): Members | undefined {
  let node: unknown = root;
  for (const step of stepsOf(keywordLocation).slice(0, -1)) {
    const next = member(node, step);
    node = step === "$ref" ? referred(root, next) : next;
  }
  return isRecord(node) ? node : undefined;
}

export function memberAt(root: unknown, location: string): unknown {
  return stepsOf(location).reduce(member, root);
}

/** The interpreter's locations are JSON pointers written as the fragment of an address. */
export function stepsOf(location: string): string[] {
  return location
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function referred(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  try {
    return memberAt(root, reference);
  } catch {
    // A reference from a server may hold a % that encodes nothing; the interpreter then finds it by other means.
    return undefined;
  }
}

function member(node: unknown, step: string): unknown {
  if (Array.isArray(node)) return node[Number(step)];
  return isRecord(node) && Object.hasOwn(node, step) ? node[step] : undefined;
}

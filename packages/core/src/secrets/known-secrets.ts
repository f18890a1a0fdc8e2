import type { KnownSecrets, Redactor } from "../ports/known-secrets.ts";
import { createRedactor } from "./redact.ts";
import { isRedactable } from "./secret-length.ts";

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>();
  const holders = new Map<string, string>();
  let current: Redactor = createRedactor([]);
  return {
    add(secrets, holder) {
      const before = known.size;
      for (const secret of secrets) if (isRedactable(secret)) known.add(secret);
      for (const secret of secrets) if (holder !== undefined && !holders.has(secret)) holders.set(secret, holder);
      if (known.size > before) current = createRedactor([...known]);
    },
    redact: Object.defineProperties((text: string) => current(text), {
      idle: { get: () => current.idle === true },
      isNumber: { value: (value: number) => current.isNumber?.(value) === true },
      cutAt: { value: (text: string) => current.cutAt?.(text) ?? text.length },
    }),
    holderOf(text) {
      // Longest first: a part of a secret may be one, too.
      const longestFirst = [...holders].sort(([a], [b]) => b.length - a.length);
      return longestFirst.find(([secret]) => known.has(secret) && createRedactor([secret])(text) !== text)?.[1];
    },
    version: () => known.size,
  };
}

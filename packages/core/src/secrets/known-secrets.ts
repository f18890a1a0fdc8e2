import type { KnownSecrets, Redactor } from "../ports/known-secrets.ts";
import { createRedactor } from "./redact.ts";
import { isRedactable } from "./secret-length.ts";

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>();
  let current: Redactor = createRedactor([]);
  return {
    add(secrets) {
      const before = known.size;
      for (const secret of secrets) if (isRedactable(secret)) known.add(secret);
      if (known.size > before) current = createRedactor([...known]);
    },
    redact: Object.defineProperties((text: string) => current(text), {
      idle: { get: () => current.idle === true },
      isNumber: { value: (value: number) => current.isNumber?.(value) === true },
      cutAt: { value: (text: string) => current.cutAt?.(text) ?? text.length },
    }),
    version: () => known.size,
  };
}

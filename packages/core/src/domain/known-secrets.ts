import { createRedactor, type Redactor, SHORTEST_SECRET } from "./redact.ts";

/** Every secret this process has seen, struck out of whatever leaves it. One per process, shared by engine and logs. */
export interface KnownSecrets {
  add(secrets: readonly string[]): void;
  readonly redact: Redactor;
}

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>();
  let current: Redactor = createRedactor([]);
  return {
    add(secrets) {
      const before = known.size;
      for (const secret of secrets) if (secret.length >= SHORTEST_SECRET) known.add(secret);
      if (known.size > before) current = createRedactor([...known]);
    },
    redact: Object.defineProperty((text: string) => current(text), "idle", { get: () => current.idle === true }),
  };
}

import { createRedactor, type Redactor, SHORTEST_SECRET } from "./redact.ts";

/** Every secret this process has seen, struck out of whatever leaves it. One per process, shared by engine and logs. */
export interface KnownSecrets {
  add(secrets: readonly string[]): void;
  readonly redact: Redactor;
  /** Another number whenever there is more to strike out, for whoever keeps what was made clean. */
  version(): number;
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
    redact: Object.defineProperties((text: string) => current(text), {
      idle: { get: () => current.idle === true },
      cutAt: { value: (text: string) => current.cutAt?.(text) ?? text.length },
    }),
    version: () => known.size,
  };
}

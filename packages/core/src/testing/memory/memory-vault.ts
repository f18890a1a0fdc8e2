import type { SecretSummary } from "../../domain/secret.ts";
import { type Vault, VaultError } from "../../ports/vault.ts";

export interface MemoryVault extends Required<Vault> {
  readonly values: Map<string, string>;
}

/** A vault that keeps its values in plain text. */
export function createMemoryVault(initial: Readonly<Record<string, string>> = {}): MemoryVault {
  const values = new Map(Object.entries(initial));
  return {
    values,
    async put(name, value) {
      values.set(name, value);
    },
    async use(name, use) {
      const value = values.get(name);
      if (value === undefined) throw new VaultError("not-found", `There is no secret ${name}`);
      return use(value);
    },
    forget: async (name) => values.delete(name),
    list: async () =>
      [...values.keys()].sort().map((name): SecretSummary => ({ name, updatedAt: "2026-01-01T00:00:00Z" })),
    rotate: async () => ({ rewrapped: values.size }),
  };
}

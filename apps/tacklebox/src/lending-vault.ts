import type { KnownSecrets, Vault } from "@tacklebox/core";

/** Shorter values occur by chance, and striking them out would make messages unreadable. */
const SHORTEST_SECRET = 6;

/**
 * A vault that is opened when somebody needs it, so that nothing asks for a key unless a server uses a secret.
 * Whatever it lends is known from then on and struck out of everything that leaves the process.
 */
export function createLendingVault(open: () => Promise<Vault>, knownSecrets: KnownSecrets): Vault {
  let opened: Promise<Vault> | undefined;
  const vault = (): Promise<Vault> => {
    opened ??= open();
    return opened;
  };
  return {
    put: async (name, value) => (await vault()).put(name, value),
    use: async (name, use) =>
      (await vault()).use(name, (value) => {
        if (value.length >= SHORTEST_SECRET) knownSecrets.add([value]);
        return use(value);
      }),
    forget: async (name) => (await vault()).forget(name),
    list: async () => (await vault()).list(),
  };
}

import type { RotatingVault } from "@tacklebox/storage/vault/node";

/** A vault that is opened on first use, so that no key is asked for unless a secret is needed. */
export function createLazyVault(open: () => Promise<RotatingVault>): RotatingVault {
  let opened: Promise<RotatingVault> | undefined;
  const vault = (): Promise<RotatingVault> => {
    opened ??= open();
    return opened;
  };
  return {
    put: async (name, value) => (await vault()).put(name, value),
    use: async (name, use) => (await vault()).use(name, use),
    forget: async (name) => (await vault()).forget(name),
    list: async () => (await vault()).list(),
    rotate: async () => (await vault()).rotate(),
  };
}

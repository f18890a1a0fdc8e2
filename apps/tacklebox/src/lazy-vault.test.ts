import { createMemoryVault, vaultContract } from "@tacklebox/core/testing";
import type { RotatingVault } from "@tacklebox/storage/vault/node";
import { describe, expect, it } from "vitest";
import { createLazyVault } from "./lazy-vault.ts";

describe("the engine's vault", () => {
  for (const test of vaultContract(async () => createLazyVault(async () => createMemoryVault())))
    it(test.name, test.run);

  it("is opened by its first use, once", async () => {
    let openings = 0;
    const inner: RotatingVault = {
      put: async () => undefined,
      use: async (_name, use) => use("hunter2-hunter2"),
      forget: async () => true,
      list: async () => [],
      rotate: async () => ({ rewrapped: 3 }),
    };
    const vault = createLazyVault(async () => {
      openings += 1;
      return inner;
    });
    expect(openings).toBe(0);
    expect(await vault.use("a", (value) => value)).toBe("hunter2-hunter2");
    await vault.put("b", "value");
    expect([await vault.list(), await vault.forget("a"), openings]).toEqual([[], true, 1]);
    expect(await vault.rotate()).toEqual({ rewrapped: 3 });
  });
});

import { createKnownSecrets, type Vault } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { createLendingVault } from "./lending-vault.ts";

function setUp(value: string) {
  const knownSecrets = createKnownSecrets();
  let openings = 0;
  const inner: Vault = {
    put: async () => undefined,
    use: async (_name, use) => use(value),
    forget: async () => true,
    list: async () => [],
  };
  const vault = createLendingVault(async () => {
    openings += 1;
    return inner;
  }, knownSecrets);
  return { vault, redact: knownSecrets.redact, openings: () => openings };
}

describe("the vault an engine is given", () => {
  it("is opened by its first use, once", async () => {
    const { vault, openings } = setUp("hunter2-hunter2");
    expect(openings()).toBe(0);
    expect(await vault.use("a", (value) => value)).toBe("hunter2-hunter2");
    await vault.list();
    expect(openings()).toBe(1);
  });

  it("S1.48 makes known what it lends, before anybody can write it anywhere", async () => {
    const { vault, redact } = setUp("hunter2-hunter2");
    expect(await vault.use("a", (value) => redact(`told ${value}`))).toBe("told [redacted]");
    expect(redact("later: hunter2-hunter2")).toBe("later: [redacted]");
  });

  it("leaves texts readable that a very short secret occurs in by chance", async () => {
    const { vault, redact } = setUp("on");
    await vault.use("a", String);
    expect(redact("no connection")).toBe("no connection");
  });
});

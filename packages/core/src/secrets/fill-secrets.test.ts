import { describe, expect, it } from "vitest";
import type { Launch } from "../domain/launch.ts";
import { type Vault, VaultError, type VaultErrorCode } from "../ports/vault.ts";
import { fillSecrets } from "./fill-secrets.ts";
import { createKnownSecrets } from "./known-secrets.ts";

const launch: Launch = {
  transport: "stdio",
  command: "x",
  args: ["${secret:a}", "${secret:b}", "${secret:a}"],
  env: {},
};

function vaultOf(values: Readonly<Record<string, string>>, asked: string[] = []): Vault {
  return {
    put: async () => undefined,
    forget: async () => false,
    list: async () => [],
    async use(name, use) {
      asked.push(name);
      const value = values[name];
      if (value === undefined) throw new VaultError("not-found", "no such secret");
      return use(value);
    },
  };
}

function failingVault(error: Error): Vault {
  return { ...vaultOf({}), use: () => Promise.reject(error) };
}

const known = createKnownSecrets();

describe("filling secrets at connect", () => {
  it("replaces references with the vault's values, reading each name once", async () => {
    const asked: string[] = [];
    expect(await fillSecrets(launch, vaultOf({ a: "one", b: "two" }, asked), known)).toEqual({
      ...launch,
      args: ["one", "two", "one"],
    });
    expect(asked).toEqual(["a", "b"]);
  });

  it("does not use the vault if nothing refers to a secret", async () => {
    const plain: Launch = { ...launch, args: [] };
    const asked: string[] = [];
    expect(await fillSecrets(plain, undefined, known)).toBe(plain);
    expect(await fillSecrets(plain, vaultOf({}, asked), known)).toBe(plain);
    expect(asked).toEqual([]);
  });

  const refusal = (message: string) => ({ name: "ConnectionError", code: "misconfigured", retryable: false, message });

  it("fails with a message if no vault is open", async () => {
    await expect(fillSecrets(launch, undefined, known)).rejects.toMatchObject(
      refusal("${secret:a} cannot be filled: no vault is open here"),
    );
  });

  it("names the secret that is missing and how to store it", async () => {
    await expect(
      fillSecrets(launch, vaultOf({ a: "one" }), known, { storeSecret: (name) => `keep ${name}` }),
    ).rejects.toMatchObject(refusal("there is no secret 'b'. Store it with: keep b"));
  });

  it.each<[VaultErrorCode, string]>([
    ["locked", "The vault is locked: no key."],
    ["wrong-key", "The key at hand is not the one."],
    ["corrupted", "It is damaged."],
  ])("explains why a vault that answers %s cannot provide it", async (code, text) => {
    await expect(fillSecrets(launch, failingVault(new VaultError(code, text)), known)).rejects.toMatchObject(
      refusal(`the secret 'a' cannot be used: ${text}`),
    );
  });

  it("S1.48 adds the vault's values to the known secrets, whatever field they are used in", async () => {
    const learned = createKnownSecrets();
    await fillSecrets(launch, vaultOf({ a: "hunter2-one", b: "hunter2-two" }), learned);
    expect(learned.redact("it was hunter2-one and hunter2-two")).toBe("it was [redacted] and [redacted]");
  });

  it("passes on errors that are not the vault's", async () => {
    const broken = new TypeError("broken");
    await expect(fillSecrets(launch, failingVault(broken), known)).rejects.toBe(broken);
  });
});

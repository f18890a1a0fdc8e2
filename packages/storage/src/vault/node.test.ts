import { chmod, lstat, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createMemoryRecords } from "./memory-records.ts";
import { type Keychain, openNodeVault } from "./node.ts";
import { createKeyFile } from "./node-key-file.ts";
import type { SecretRecords } from "./secret-record.ts";

const KEY_ONE = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";
const KEY_TWO = "Zx81wP0aVn5RkQeT7uYbIoGmHdJfLsC3XvN2qWzE9tM=";

interface Setting {
  readonly env?: Record<string, string>;
  readonly keychain?: () => Promise<Keychain>;
}

const noKeychain = () => Promise.reject(new Error("no keychain here"));

function vaultIn(dataFolder: string, records: SecretRecords, { env = {}, keychain = noKeychain }: Setting = {}) {
  return openNodeVault({ dataFolder, records, env, now: () => Date.UTC(2026, 7, 1), keychain });
}

function createMemoryKeychain(): { open: () => Promise<Keychain>; text: () => string | undefined } {
  let kept: string | undefined;
  const keychain: Keychain = {
    get: async () => kept,
    set: async (text) => {
      kept = text;
    },
  };
  return { open: async () => keychain, text: () => kept };
}

const value = (text: string) => text;

describe("a vault with a key file", () => {
  it("creates the file on first use, for this user only, and opens with it again", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    const vault = vaultIn(folder.path, records);
    expect(await vault.list()).toEqual([]);
    await expect(vault.use("a", value)).rejects.toMatchObject({ code: "not-found" });
    expect(await readdir(folder.path)).toEqual([]);

    await vault.put("a", "one");
    expect((await stat(folder.at("vault.key"))).mode & 0o777).toBe(0o600);
    expect(await vaultIn(folder.path, records).use("a", value)).toBe("one");
  });

  it("has one key, even if two processes start together", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    const vaults = ["a", "b", "c", "d"].map((name) => ({ name, vault: vaultIn(folder.path, records) }));
    await Promise.all(vaults.map(({ name, vault }) => vault.put(name, `value of ${name}`)));
    const reader = vaultIn(folder.path, records);
    for (const { name } of vaults) expect(await reader.use(name, value)).toBe(`value of ${name}`);
    expect(await keyIds(folder.at("vault.key"))).toHaveLength(1);
  });

  it("is locked, and creates no other key, if the file is gone", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    await vaultIn(folder.path, records).put("a", "one");
    await rename(folder.at("vault.key"), folder.at("elsewhere"));
    const vault = vaultIn(folder.path, records);
    await expect(vault.put("a", "two")).rejects.toMatchObject({
      code: "locked",
      message: "The vault is locked: the key for the stored secrets is missing. Nothing was changed.",
    });
    expect(await readdir(folder.path)).toEqual(["elsewhere", "vault.lock"]);
  });

  it.each([0o644, 0o640, 0o620, 0o604])("refuses a file with mode %o, and says how to close it", async (mode) => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    await vaultIn(folder.path, records).put("a", "one");
    const file = folder.at("vault.key");
    await chmod(file, mode);
    const message = `The vault is locked: ${file} is open to other users (mode 0${mode.toString(8)}). Close it with: chmod 600 '${file}' and, if somebody else may have read it, replace the key with: tacklebox secret rotate`;
    const vault = vaultIn(folder.path, records);
    await expect(vault.use("a", value)).rejects.toMatchObject({ code: "locked", message });
    await expect(vault.put("b", "two")).rejects.toMatchObject({ code: "locked", message });
    await chmod(file, 0o600);
    expect(await vault.use("a", value)).toBe("one");
  });

  it("refuses a link, wherever it leads", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    await vaultIn(folder.path, records).put("a", "one");
    const file = folder.at("vault.key");
    await rename(file, folder.at("real.key"));
    await symlink(folder.at("real.key"), file);
    await expect(vaultIn(folder.path, records).use("a", value)).rejects.toMatchObject({
      code: "locked",
      message: `The vault is locked: ${file} is a link. Put the key file itself there: a link could point to someone else's file.`,
    });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
  });

  it("refuses a file of another user", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("vault.key");
    await writeFile(file, "{}", { mode: 0o600 });
    const userId = (await stat(file)).uid + 1;
    await expect(createKeyFile({ file, userId }).read()).rejects.toMatchObject({
      code: "locked",
      message: `The vault is locked: ${file} belongs to another user. Make the user who runs Tacklebox its owner: chown ${userId} '${file}'`,
    });
  });

  it.each([
    "",
    "{}",
    '{"v":2,"current":"a","keys":[]}',
    '{"v":1,"current":"a","keys":[]}',
    '{"v":1,"current":"a","keys":[{"id":"a","key":"AAAA"}]}',
  ])("refuses a file that holds %j", async (text) => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("vault.key");
    await writeFile(file, text, { mode: 0o600 });
    await expect(vaultIn(folder.path, createMemoryRecords()).put("a", "one")).rejects.toMatchObject({
      code: "locked",
      message: `The vault is locked: ${file} is damaged. Restore it from a copy: without it the stored secrets cannot be read.`,
    });
    expect(await readFile(file, "utf8")).toBe(text);
  });

  it("changes its key when it is rotated, and the old key is gone from the file", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    const vault = vaultIn(folder.path, records);
    await vault.put("a", "one");
    const before = await keyIds(folder.at("vault.key"));
    expect(await vault.rotate()).toEqual({ rewrapped: 1 });
    const after = await keyIds(folder.at("vault.key"));
    expect([before.length, after.length, after.includes(before[0] ?? "")]).toEqual([1, 1, false]);
    expect((await stat(folder.at("vault.key"))).mode & 0o777).toBe(0o600);
    expect(await vaultIn(folder.path, records).use("a", value)).toBe("one");
  });

  it("survives several rotations at once", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    for (const name of ["a", "b", "c"]) await vaultIn(folder.path, records).put(name, `value of ${name}`);
    await Promise.all([1, 2, 3].map(() => vaultIn(folder.path, records).rotate()));
    const reader = vaultIn(folder.path, records);
    for (const name of ["a", "b", "c"]) expect(await reader.use(name, value)).toBe(`value of ${name}`);
    expect(await keyIds(folder.at("vault.key"))).toHaveLength(1);
  });
});

describe("a vault with a keychain", () => {
  it("keeps its key there and writes no file", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    const keychain = createMemoryKeychain();
    const vault = vaultIn(folder.path, records, { keychain: keychain.open });
    await vault.put("a", "one");
    const first = keychain.text();
    expect(await vault.rotate()).toEqual({ rewrapped: 1 });
    expect(keychain.text()).not.toBe(first);
    expect(await readdir(folder.path)).toEqual(["vault.lock"]);
    expect(await vaultIn(folder.path, records, { keychain: keychain.open }).use("a", value)).toBe("one");
  });

  it("falls back to the file if the keychain refuses or loses the key", async () => {
    const forgetful: Keychain = { get: async () => undefined, set: async () => undefined };
    const readOnly: Keychain = { get: async () => undefined, set: () => Promise.reject(new Error("no")) };
    for (const keychain of [forgetful, readOnly]) {
      await using folder = await createTemporaryFolder();
      const records = createMemoryRecords();
      await vaultIn(folder.path, records, { keychain: async () => keychain }).put("a", "one");
      expect(await vaultIn(folder.path, records).use("a", value)).toBe("one");
    }
  });

  it("keeps using its file if a keychain becomes available later", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    await vaultIn(folder.path, records).put("a", "one");
    const keychain = createMemoryKeychain();
    await vaultIn(folder.path, records, { keychain: keychain.open }).put("b", "two");
    expect(keychain.text()).toBeUndefined();
  });

  it("is locked, not emptied, while the keychain is unavailable", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    const keychain = createMemoryKeychain();
    await vaultIn(folder.path, records, { keychain: keychain.open }).put("a", "one");
    await expect(vaultIn(folder.path, records).put("a", "two")).rejects.toMatchObject({ code: "locked" });
    expect(await readdir(folder.path)).toEqual(["vault.lock"]);
    expect(await vaultIn(folder.path, records, { keychain: keychain.open }).use("a", value)).toBe("one");
  });
});

describe("a keychain that fails for a moment", () => {
  it.each([1, 2, 3, 4, 5, 6, 7])(
    "loses no key if it fails at access %i of a rotation that is interrupted",
    async (failing) => {
      await using folder = await createTemporaryFolder();
      const records = createMemoryRecords();
      const keychain = createMemoryKeychain();
      await vaultIn(folder.path, records, { keychain: keychain.open }).put("a", "one");
      let accesses = 0;
      const unsteady = () => {
        accesses += 1;
        return accesses === failing ? Promise.reject(new Error("busy")) : keychain.open();
      };
      const cutOff = { ...records, save: () => Promise.reject(new Error("cut off")) };
      await expect(vaultIn(folder.path, cutOff, { keychain: unsteady }).rotate()).rejects.toThrow();
      const afterwards = vaultIn(folder.path, records, { keychain: keychain.open });
      expect(await afterwards.use("a", value)).toBe("one");
      expect(await afterwards.rotate()).toEqual({ rewrapped: 1 });
      expect(await afterwards.use("a", value)).toBe("one");
    },
  );
});

describe("a vault with TACKLEBOX_VAULT_KEY", () => {
  it("opens with that key alone, and uses neither keychain nor file", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    const keychain = () => expect.fail("the keychain was asked");
    const env = { TACKLEBOX_VAULT_KEY: KEY_ONE };
    await vaultIn(folder.path, records, { env, keychain }).put("a", "one");
    expect(await vaultIn(folder.path, records, { env, keychain }).use("a", value)).toBe("one");
    expect(await readdir(folder.path)).toEqual(["vault.lock"]);
  });

  it("refuses another key and overwrites nothing", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    await vaultIn(folder.path, records, { env: { TACKLEBOX_VAULT_KEY: KEY_ONE } }).put("a", "one");
    const before = await records.list();
    const other = vaultIn(folder.path, records, { env: { TACKLEBOX_VAULT_KEY: KEY_TWO } });
    await expect(other.use("a", value)).rejects.toMatchObject({ code: "wrong-key" });
    await expect(other.put("a", "two")).rejects.toMatchObject({ code: "wrong-key" });
    await expect(other.rotate()).rejects.toMatchObject({ code: "wrong-key" });
    expect(await records.list()).toEqual(before);
  });

  it("moves to a new key if the old one is in TACKLEBOX_VAULT_KEY_PREVIOUS or in the file", async () => {
    await using folder = await createTemporaryFolder();
    const records = createMemoryRecords();
    await vaultIn(folder.path, records).put("a", "one");
    const first = vaultIn(folder.path, records, { env: { TACKLEBOX_VAULT_KEY: KEY_ONE } });
    expect(await first.rotate()).toEqual({ rewrapped: 1 });
    const env = { TACKLEBOX_VAULT_KEY: KEY_TWO, TACKLEBOX_VAULT_KEY_PREVIOUS: KEY_ONE };
    const both = vaultIn(folder.path, records, { env });
    expect(await both.use("a", value)).toBe("one");
    expect(await both.rotate()).toEqual({ rewrapped: 1 });
    const alone = vaultIn(folder.path, records, { env: { TACKLEBOX_VAULT_KEY: KEY_TWO } });
    expect(await alone.use("a", value)).toBe("one");
  });

  const SHORT = "it must be at least 32 random bytes in base64";
  const CHOSEN = "it looks like a sample or a password, not like random bytes";
  it.each([
    ["changeme", SHORT],
    ["correct horse battery staple, and then some more words", SHORT],
    [KEY_ONE.slice(0, 40), SHORT],
    [btoa("\0".repeat(32)), CHOSEN],
    [btoa("my-secret-passphrase-for-the-vault"), CHOSEN],
    ["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", CHOSEN],
    ["deadbeef".repeat(8), CHOSEN],
    ["correcthorsebatterystaplecorrecthorsebatteryy", CHOSEN],
  ])("refuses %j", async (key, reason) => {
    await using folder = await createTemporaryFolder();
    const vault = vaultIn(folder.path, createMemoryRecords(), { env: { TACKLEBOX_VAULT_KEY: key } });
    await expect(vault.put("a", "one")).rejects.toMatchObject({
      code: "locked",
      message: `The vault is locked: TACKLEBOX_VAULT_KEY cannot be used: ${reason}. Make one with: openssl rand -base64 32`,
    });
  });
});

async function keyIds(file: string): Promise<string[]> {
  return [...(await readFile(file, "utf8")).matchAll(/"id": "([^"]*)"/g)].map(([, id = ""]) => id);
}

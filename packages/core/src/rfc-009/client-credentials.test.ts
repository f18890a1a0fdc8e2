import { describe, expect, it } from "vitest";
import { type Vault, VaultError } from "../ports/vault.ts";
import { clientFailure as failure, createTestService as start, TEST_SERVER_IDS } from "../testing/index.ts";

const [ID] = TEST_SERVER_IDS;
const HTTP = { name: "API", transport: "http", url: "https://example.com/mcp", retryAttempts: 0 } as const;

function memoryVault(): Vault & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    put: async (name, value) => void values.set(name, value),
    async use(name, use) {
      const value = values.get(name);
      if (value === undefined) throw new VaultError("not-found", `There is no secret '${name}'`);
      return use(value);
    },
    forget: async (name) => values.delete(name),
    list: async () => [...values.keys()].map((name) => ({ name, updatedAt: "" })),
  };
}

describe("S1.47 with a vault", () => {
  const authentication = { type: "bearer", token: "canary-token" } as const;
  const reference = `\${secret:mcp:${ID}:token}`;

  function startWithVault() {
    const vault = memoryVault();
    return { vault, ...start({ ports: { vault }, service: { vault } }) };
  }

  it("S1.47 S1.48 records, answers and events hold references, and the connection gets the value", async () => {
    const { service, vault, records, engine, connector } = startWithVault();
    const added = await service.addServer({ ...HTTP, authentication });
    expect(added.authentication).toEqual({ type: "bearer", token: reference });
    expect([...vault.values]).toEqual([[`mcp:${ID}:token`, "canary-token"]]);
    connector.server(ID).tools = [{ name: "echo", inputSchema: { type: "object" } }];
    await service.connect(ID);
    connector.server(ID).answer = () => ({
      content: [{ type: "text", text: "you sent canary-token" }],
      isError: false,
    });
    const answered = await service.callTool(ID, "echo", {});
    expect(answered).toEqual([{ type: "text", text: "you sent [redacted]" }]);
    const seen = [await service.listServers(), await records.list(), await engine.servers.list()];
    expect(JSON.stringify(seen)).not.toContain("canary-token");
  });

  it("an update with the reference keeps the secret, one with a value replaces it, one without it forgets the secret", async () => {
    const { service, vault } = startWithVault();
    await service.addServer({ ...HTTP, authentication });
    await service.updateServer(ID, { name: "New", authentication: { type: "bearer", token: reference } });
    expect([...vault.values.values()]).toEqual(["canary-token"]);
    await service.updateServer(ID, { authentication: { type: "bearer", token: "second-token" } });
    expect([...vault.values.values()]).toEqual(["second-token"]);
    await service.updateServer(ID, { authentication: { type: "none" } });
    expect([...vault.values.values()]).toEqual([]);
  });

  it("removing a server forgets its own secrets and no others", async () => {
    const { service, vault } = startWithVault();
    await vault.put("CRM", "crm-secret");
    await service.addServer({ ...HTTP, authentication, headers: { "X-Crm": "${secret:CRM}" } });
    await service.removeServer(ID);
    expect([...vault.values.keys()]).toEqual(["CRM"]);
  });

  it("a server cannot be added while the vault is locked", async () => {
    const { service, vault, records } = startWithVault();
    vault.put = async () => {
      throw new VaultError("locked", "The vault is locked");
    };
    await expect(service.addServer({ ...HTTP, authentication })).rejects.toMatchObject({ code: "locked" });
    expect(await records.list()).toEqual([]);
  });

  it("F16 a credential that is too short to be redacted is refused, and nothing is stored", async () => {
    const { service, vault, records } = startWithVault();
    const short = { ...HTTP, authentication: { type: "bearer", token: "abc1234" } } as const;
    const refused = await failure(service.addServer(short));
    expect(refused).toMatchObject({ code: "invalid-server" });
    expect(refused.message).toContain("A secret needs at least 8 characters");
    expect([vault.values.size, (await records.list()).length]).toEqual([0, 0]);
    const added = await service.addServer({ ...HTTP, headers: { "X-Team": "a" } });
    expect(added.headers).toEqual({ "X-Team": expect.stringContaining("${secret:") });
  });

  it("a record that cannot be saved leaves no secret behind", async () => {
    const { service, vault, records } = startWithVault();
    records.save = async () => {
      throw new Error("full");
    };
    await expect(service.addServer({ ...HTTP, authentication })).rejects.toThrow("full");
    expect(vault.values.size).toBe(0);
  });

  it("without a vault, a record that names a secret is refused", async () => {
    const { service } = start();
    expect(await failure(service.addServer({ ...HTTP, headers: { "X-Key": "${secret:A}" } }))).toMatchObject({
      message: "Stored secrets (${secret:…}) need a vault, and none is open here; enter the value itself",
    });
    expect(await service.listServers()).toEqual([]);
  });
});

import { type Vault, VaultError } from "../../ports/vault.ts";
import { assertEqual, assertRejects, assertThat, type ContractCase } from "./contract.ts";

const lend = (vault: Vault, name: string) => vault.use(name, (value) => value);

/** What every vault guarantees. `create` returns an empty, open one. */
export function vaultContract(create: () => Promise<Vault>): ContractCase[] {
  return [
    {
      name: "passes on the value that was put, and the newest value of a name that was put twice",
      run: async () => {
        const vault = await create();
        await vault.put("a", "first");
        await vault.put("a", "second");
        assertEqual(await lend(vault, "a"), "second", "the value");
        assertEqual(await vault.use("a", async (value) => value.length), 6, "what use returns");
      },
    },
    {
      name: "lists names without values, in order",
      run: async () => {
        const vault = await create();
        await vault.put("b", "hidden-b");
        await vault.put("a", "hidden-a");
        const listed = await vault.list();
        assertEqual(
          listed.map(({ name }) => name),
          ["a", "b"],
          "names",
        );
        assertThat(!JSON.stringify(listed).includes("hidden"), "no value is listed");
      },
    },
    {
      name: "forgets a secret, and reports if there was none",
      run: async () => {
        const vault = await create();
        await vault.put("a", "value");
        assertEqual([await vault.forget("a"), await vault.forget("a")], [true, false], "forgotten");
        const error = await assertRejects(lend(vault, "a"), "a forgotten secret");
        assertEqual(error instanceof VaultError && error.code, "not-found", "error code");
      },
    },
  ];
}

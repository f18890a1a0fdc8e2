import { expect, it } from "vitest";
import { withoutVaultKeys } from "./vault-variables.ts";

it("T07 config files cannot name the keys of the vault", () => {
  const env = { PATH: "/bin", TACKLEBOX_VAULT_KEY: "a", TACKLEBOX_VAULT_KEY_PREVIOUS: "b", TACKLEBOX_DATA: "d" };
  expect(withoutVaultKeys(env)).toEqual({ PATH: "/bin", TACKLEBOX_DATA: "d" });
});

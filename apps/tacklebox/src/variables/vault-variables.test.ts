import { expect, it } from "vitest";
import { withoutVaultKeys } from "./vault-variables.ts";

it("T07 config files cannot name the keys of the vault", () => {
  const env = { PATH: "/bin", TACKLEBOX_VAULT_KEY: "a", TACKLEBOX_VAULT_KEY_PREVIOUS: "b", TACKLEBOX_DATA: "d" };
  expect(withoutVaultKeys({ env, platform: "linux" })).toEqual({ PATH: "/bin", TACKLEBOX_DATA: "d" });
});

it("T07 config files cannot name them in another spelling on Windows", () => {
  const env = { Path: "p", tacklebox_vault_key: "a", Tacklebox_Vault_Key_Previous: "b" };
  const seen = withoutVaultKeys({ env, platform: "win32" });
  expect({ ...seen }).toEqual({ PATH: "p" });
  expect([seen.Path, seen.tacklebox_vault_key, seen.TACKLEBOX_VAULT_KEY]).toEqual(["p", undefined, undefined]);
});

import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { printJson } from "../output/print.ts";
import type { SecretRotateJson } from "../output/secret-json.ts";
import { withVault } from "../with-vault.ts";

/** Replaces the vault's key. Values stay as they are; a rotation that is cut off is completed by the next one. */
export function run({ io }: Context, { json }: CommonOptions): Promise<ExitCode> {
  return withVault(io, async (vault) => {
    const { rewrapped } = await vault.rotate();
    await (json
      ? printJson(io, { rewrapped } satisfies SecretRotateJson)
      : io.stdout.write(`${describe(rewrapped)}\n`));
    return EXIT.ok;
  });
}

function describe(rewrapped: number): string {
  if (rewrapped === 0) return "Nothing to do: every stored secret has the present key.";
  return `${rewrapped} ${rewrapped === 1 ? "secret has" : "secrets have"} a new key.`;
}

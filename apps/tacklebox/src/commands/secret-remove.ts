import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { printJson, printProblems } from "../output/print.ts";
import type { SecretRemoveJson } from "../output/secret-json.ts";
import { withVault } from "../with-vault.ts";

export interface SecretRemoveOptions extends CommonOptions {
  readonly name: string;
}

/** Forgets a secret. Needs no key, so that one whose key is lost can go as well. */
export function run({ io }: Context, { name, json }: SecretRemoveOptions): Promise<ExitCode> {
  return withVault(io, async (vault) => {
    const removed = await vault.forget(name);
    if (json) await printJson(io, { name, removed } satisfies SecretRemoveJson);
    if (!removed) {
      await printProblems(io, [`There is no secret '${name}'. \`tacklebox secret list\` shows all.`]);
      return EXIT.usage;
    }
    if (!json) await io.stdout.write(`Removed ${name}.\n`);
    return EXIT.ok;
  });
}

import type { CommonOptions, Context } from "../../command-options.ts";
import { withRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { SecretRemoveJson } from "../../output/json/secret-json.ts";
import { printFailure, printJson, printProblems } from "../../output/print.ts";

export interface SecretRemoveOptions extends CommonOptions {
  readonly name: string;
}

/** Removes a secret. Needs no key, so that secrets whose key is lost can be removed too. */
export function run(context: Context, options: SecretRemoveOptions): Promise<ExitCode> {
  const { io } = context;
  const { name, json } = options;
  return withRecords(context, options, async ({ engine }) => {
    const forgotten = await engine.secrets.forget(name);
    if (forgotten.kind === "failed") return printFailure(io, forgotten.failure);
    const removed = forgotten.value;
    if (json) await printJson(io, { name, removed } satisfies SecretRemoveJson);
    if (!removed) {
      await printProblems(io, [`There is no secret '${name}'. To see all: tacklebox secret list`]);
      return EXIT.usage;
    }
    if (!json) await io.stdout.write(`Removed secret '${name}'.\n`);
    return EXIT.ok;
  });
}

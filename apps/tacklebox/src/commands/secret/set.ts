import { SECRET_NAME } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { withRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { SecretSetJson } from "../../output/json/secret-json.ts";
import { printFailure, printJson, printProblems } from "../../output/print.ts";
import { readSecret } from "../../read-secret.ts";

export interface SecretSetOptions extends CommonOptions {
  readonly name: string;
}

/** Stores a value, read from stdin or a hidden prompt. */
export async function run(context: Context, options: SecretSetOptions): Promise<ExitCode> {
  const { io } = context;
  const { name, json } = options;
  // Checked before the value is typed. The message does not repeat the name, which may be the value by mistake.
  if (!SECRET_NAME.test(name)) {
    const text =
      "A secret's name has 1 to 200 letters, digits and _ - . : / and starts with a letter or digit. Do not type the value after it; you will be prompted for it.";
    await printProblems(io, [text]);
    return EXIT.usage;
  }
  const read = await readSecret(name, io);
  if (read.kind === "refused") {
    await printProblems(io, [read.message]);
    return EXIT.usage;
  }
  if (read.kind === "cancelled") {
    await printProblems(io, ["Nothing was stored."]);
    return EXIT.interrupted;
  }
  return withRecords(context, options, async ({ engine }) => {
    const put = await engine.secrets.put(name, read.value);
    if (put.kind === "failed") return printFailure(io, put.failure);
    await (json
      ? printJson(io, { name, status: put.value } satisfies SecretSetJson)
      : io.stdout.write(
          `${put.value === "replaced" ? "Replaced" : "Stored"} ${name}. Use it in a config file as \${secret:${name}}\n`,
        ));
    return EXIT.ok;
  });
}

import type { CommonOptions, Context } from "../command-options.ts";
import { withKept } from "../engine/lend.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { printFailure, printJson } from "../output/print.ts";
import type { SecretRotateJson } from "../output/secret-json.ts";

/** Replaces the vault's key. Values stay as they are; a rotation that is cut off is completed by the next one. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withKept(context, common, async ({ engine }) => {
    const rotated = await engine.secrets.rotate();
    if (rotated.kind === "failed") return printFailure(io, rotated.failure);
    const rewrapped = rotated.value;
    await (common.json
      ? printJson(io, { rewrapped } satisfies SecretRotateJson)
      : io.stdout.write(`${describe(rewrapped)}\n`));
    return EXIT.ok;
  });
}

function describe(rewrapped: number): string {
  if (rewrapped === 0) return "Nothing to do: every stored secret has the present key.";
  return `${rewrapped} ${rewrapped === 1 ? "secret has" : "secrets have"} a new key.`;
}

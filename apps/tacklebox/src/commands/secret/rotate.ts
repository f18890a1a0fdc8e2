import type { CommonOptions, Context } from "../../command-options.ts";
import { withRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { SecretRotateJson } from "../../output/json/secret-json.ts";
import { printFailure, printJson } from "../../output/print.ts";

/** Replaces the vault's key. Values stay the same; an interrupted rotation is completed by the next one. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withRecords(context, common, async ({ engine }) => {
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
  if (rewrapped === 0) return "Nothing to do: every stored secret already has the current key.";
  return `${rewrapped} ${rewrapped === 1 ? "secret was" : "secrets were"} encrypted with the new key.`;
}

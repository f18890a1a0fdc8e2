import type { SecretSummary } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { SecretListJson } from "../../output/json/secret-json.ts";
import { printJson, tableStyle } from "../../output/print.ts";
import { formatTable } from "../../output/table.ts";

/** Shows the names of stored secrets. Needs no key; values are never shown. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  return withExistingRecords(context, common, async (records) =>
    show((await records?.engine.secrets.list()) ?? [], common.json, context.io),
  );
}

async function show(secrets: readonly SecretSummary[], json: boolean, io: Io): Promise<ExitCode> {
  if (json) {
    const shown = secrets.map(({ name, updatedAt }) => ({ name, updated_at: updatedAt }));
    await printJson(io, { secrets: shown } satisfies SecretListJson);
    return EXIT.ok;
  }
  const rows = secrets.map(({ name, updatedAt }) => [name, updatedAt]);
  await io.stdout.write(
    rows.length === 0
      ? "No secrets are stored yet. To store one: tacklebox secret set NAME\n"
      : formatTable(["NAME", "UPDATED"], rows, tableStyle(io)),
  );
  return EXIT.ok;
}

import type { CommonOptions, Context } from "../../command-options.ts";
import { withIdleEngine } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { toGptJson } from "../../output/json/gpt-json.ts";
import type { GptJson, GptListJson } from "../../output/json/manage-shapes.ts";
import { printJson, tableStyle } from "../../output/print.ts";
import { formatTable, type TableStyle } from "../../output/table.ts";

/** Shows the assistants from the config file and the saved ones. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withIdleEngine(context, common, async ({ engine, config }) => {
    const gpts = (await engine.gpts.list()).map((gpt) => toGptJson(gpt, config));
    await (common.json
      ? printJson(io, { gpts } satisfies GptListJson)
      : io.stdout.write(formatGpts(gpts, tableStyle(io))));
    return EXIT.ok;
  });
}

function formatGpts(gpts: readonly GptJson[], style: TableStyle): string {
  if (gpts.length === 0)
    return "No GPTs yet. To save one: tacklebox gpt add KEY --instructions \"…\"\nYou can also define some under 'gpts' in your config.\n";
  const rows = gpts.map(({ key, source, model = "-", approval, servers, description, name }) => [
    key,
    source,
    model,
    approval,
    servers === undefined ? "all" : servers.join(", ") || "none",
    description ?? name,
  ]);
  return formatTable(["KEY", "SOURCE", "MODEL", "APPROVAL", "SERVERS", "DESCRIPTION"], rows, style);
}

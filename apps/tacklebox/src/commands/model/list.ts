import type { CommonOptions, Context } from "../../command-options.ts";
import { withIdleEngine } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { ModelListJson } from "../../output/json/manage-shapes.ts";
import { printJson, tableStyle } from "../../output/print.ts";
import { formatTable } from "../../output/table.ts";

/** Shows every model a run could use. Sends no requests, except to a local Ollama for its list. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withIdleEngine(context, common, async ({ engine }) => {
    const models = await engine.models.list();
    if (common.json) {
      const shown = models.map(({ name, vendor, modelId, source, isDefault, vision, contextTokens }) => ({
        name,
        vendor,
        model_id: modelId,
        source,
        default: isDefault,
        vision,
        context_tokens: contextTokens,
      }));
      await printJson(io, { models: shown } satisfies ModelListJson);
      return EXIT.ok;
    }
    const rows = models.map(({ name, vendor, modelId, source, isDefault }) => [
      name,
      isDefault ? "yes" : "",
      vendor,
      modelId,
      source,
    ]);
    await io.stdout.write(formatTable(["NAME", "DEFAULT", "VENDOR", "ID", "SOURCE"], rows, tableStyle(io)));
    if (models.every(({ vendor }) => vendor === "demo")) await io.stdout.write(`\n${ONLY_DEMO}\n`);
    return EXIT.ok;
  });
}

/** Shown when there is no model but the built-in one. */
const ONLY_DEMO =
  "The demo model only matches words. For a real model, set OPENAI_API_KEY or\nANTHROPIC_API_KEY, start Ollama, or add one under 'models' in your config.";

import type { CommonOptions, Context } from "../../command-options.ts";
import { withIdleEngine } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { describeUnknownGpt, toGptJson } from "../../output/json/gpt-json.ts";
import type { GptJson } from "../../output/json/manage-shapes.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableLine, printableText } from "../../output/printable.ts";

export interface GptShowOptions extends CommonOptions {
  readonly key: string;
}

/** Shows one assistant in full. */
export function run(context: Context, options: GptShowOptions): Promise<ExitCode> {
  const { io } = context;
  return withIdleEngine(context, options, async ({ engine, config }) => {
    const gpt = (await engine.gpts.list()).find(({ key }) => key === options.key);
    if (gpt === undefined) {
      await printProblems(io, [describeUnknownGpt(options.key)]);
      return EXIT.usage;
    }
    const shown = toGptJson(gpt, config);
    await (options.json ? printJson(io, shown) : io.stdout.write(formatGpt(shown)));
    return EXIT.ok;
  });
}

function formatGpt(gpt: GptJson): string {
  const tools = Object.entries(gpt.tools).map(([tool, mode]) => `${tool} ${mode}`);
  const lines: readonly (readonly [string, string])[] = [
    ["key", gpt.key],
    ["name", gpt.name],
    ["description", gpt.description ?? "-"],
    ["source", gpt.source === "file" ? "the config file" : "saved with gpt add"],
    ["model", gpt.model ?? "default"],
    ["approval", gpt.approval],
    ["servers", gpt.servers === undefined ? "all" : gpt.servers.join(", ") || "none"],
    ["tools", tools.join(", ") || "as the servers say"],
    ["trusted", gpt.trusted_tools.join(", ") || "none"],
  ];
  const table = lines.map(([label, text]) => `${label.padEnd(12)} ${printableLine(text)}\n`).join("");
  return gpt.instructions === "" ? table : `${table}\n${printableText(gpt.instructions)}\n`;
}

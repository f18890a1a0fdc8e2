import type { FoundTool, MatchReasons } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { SearchJson } from "../output/json/json-shapes.ts";
import { printJson, tableStyle } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { formatTable, type TableStyle } from "../output/table.ts";
import { cutToWidth, firstLine } from "../output/text-width.ts";

export interface SearchCommandOptions extends CommonOptions {
  readonly words: string;
  readonly limit: number;
}

/** Finds tools for a task, and says why each was found. */
export function run(context: Context, options: SearchCommandOptions): Promise<ExitCode> {
  const { io } = context;
  const { words, limit, json } = options;
  return withStartedEngine(context, oneShot(options), async ({ engine }) => {
    const found = await engine.tools.search(words, { limit });
    const servers = [...new Set((await engine.tools.list()).map(({ ref }) => ref.server))];
    if (json) await printJson(io, { query: words, tools: found.map(toFoundJson), servers } satisfies SearchJson);
    else
      await io.stdout.write(
        found.length === 0 ? describeNothingFound(words, servers) : formatFound(found, tableStyle(io)),
      );
    return EXIT.ok;
  });
}

function describeNothingFound(words: string, servers: readonly string[]): string {
  const where = servers.length === 0 ? "No server has any tools" : `Servers with tools: ${servers.join(", ")}`;
  return `${printableLine(`No tool matches '${words}'. ${where}.`)}\n`;
}

const MAX_DESCRIPTION_LENGTH = 200;

function formatFound(found: readonly FoundTool[], style: TableStyle): string {
  const rows = found.map(({ tool: { shownName, ref, tool }, score, why }) => [
    shownName,
    ref.server,
    score.toFixed(2),
    describeReasons(why),
    cutToWidth(firstLine(tool.description), MAX_DESCRIPTION_LENGTH),
  ]);
  return formatTable(["TOOL", "SERVER", "SCORE", "WHY", "DESCRIPTION"], rows, style);
}

function describeReasons({ named, words, meaning }: MatchReasons): string {
  const matchedWords = words.map(({ asked, found }) => (asked === found ? asked : `${asked} as ${found}`));
  const reasons = [...(named ? ["its name"] : []), ...matchedWords];
  return reasons.length === 0 && meaning > 0 ? "its meaning" : reasons.join(", ");
}

function toFoundJson({ tool: { shownName, ref, include, tool }, score, why }: FoundTool): SearchJson["tools"][number] {
  return {
    name: shownName,
    server: ref.server,
    tool: ref.name,
    description: tool.description,
    include,
    score,
    why,
  };
}

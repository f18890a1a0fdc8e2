import { mirroredText, type RegisteredTool } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { ToolJson, ToolsJson } from "../output/json/json-shapes.ts";
import { printJson, printProblems, tableStyle } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { formatTable, type TableStyle } from "../output/table.ts";
import { cutToWidth, firstLine } from "../output/text-width.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface ToolsOptions extends CommonOptions {
  readonly server: string | undefined;
}

/** Shows every tool that may be called, with its limits. */
export function run(context: Context, options: ToolsOptions): Promise<ExitCode> {
  const { io } = context;
  return withStartedEngine(context, oneShot(options, options.server), async ({ engine, configFile }) => {
    const unknown = await describeUnknownServer(engine, options.server, configFile);
    if (unknown !== undefined) {
      await printProblems(io, [unknown]);
      return EXIT.usage;
    }
    const all = await engine.tools.list();
    const tools = options.server === undefined ? all : all.filter(({ ref }) => ref.server === options.server);
    await (options.json
      ? printJson(io, { tools: tools.map(toToolJson) } satisfies ToolsJson)
      : io.stdout.write(formatTools(tools, tableStyle(io))));
    return EXIT.ok;
  });
}

const MAX_DESCRIPTION_LENGTH = 200;

function formatTools(tools: readonly RegisteredTool[], style: TableStyle): string {
  if (tools.length === 0) return "No tools may be called. `tacklebox servers` shows why.\n";
  const rows = tools.map(({ shownName, ref, limits, include, tool }) => [
    shownName,
    ref.server,
    String(limits.maxInstances),
    `${limits.timeoutMs / 1000} s`,
    include,
    cutToWidth(firstLine(tool.description), MAX_DESCRIPTION_LENGTH),
  ]);
  const table = formatTable(["TOOL", "SERVER", "MAX", "TIMEOUT", "INCLUDE", "DESCRIPTION"], rows, style);
  return `${table}${formatMirrored(tools)}`;
}

/** Names the tools whose arguments are read by more than their server (T14). */
function formatMirrored(tools: readonly RegisteredTool[]): string {
  const lines = tools.flatMap(({ shownName, tool: { mirrored } }) =>
    mirrored === undefined ? [] : [printableLine(`  ${shownName}: ${mirroredText(mirrored)}`)],
  );
  if (lines.length === 0) return "";
  return `\nArguments repeated in HTTP headers, which proxies and their logs can read:\n${lines.join("\n")}\n`;
}

function toToolJson({ shownName, ref, limits, configuredBy, include, approval, tool }: RegisteredTool): ToolJson {
  return {
    name: shownName,
    server: ref.server,
    tool: ref.name,
    description: tool.description,
    max_instances: limits.maxInstances,
    timeout_ms: limits.timeoutMs,
    configured_by: configuredBy,
    include,
    ...(approval === undefined ? {} : { approval }),
    input_schema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { output_schema: tool.outputSchema }),
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
    ...(tool.mirrored === undefined
      ? {}
      : { mirrored: tool.mirrored.map(({ path, header }) => ({ argument: path, header })) }),
  };
}

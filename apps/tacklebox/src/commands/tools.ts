import { type Engine, type EngineConfig, mirroredText, type RegisteredTool, suggestion } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { findNamedTool, type NamedTool, planFor, readToolName, serverNamesOf } from "../engine/named-tool.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { choosePaint } from "../output/colour.ts";
import type { ToolJson, ToolsJson } from "../output/json/json-shapes.ts";
import { printJson, printProblems, tableStyle } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { formatTool } from "../output/reports/tool-report.ts";
import { formatTable, type TableStyle } from "../output/table.ts";
import { cutToWidth, firstLine } from "../output/text-width.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface ToolsOptions extends CommonOptions {
  readonly server: string | undefined;
  /** The words that name one tool; none for all of them. */
  readonly names: readonly string[];
}

/** Shows every tool that may be called, with its limits, or everything about one of them. */
export function run(context: Context, options: ToolsOptions): Promise<ExitCode> {
  const [first, second] = options.server === undefined ? options.names : [options.server, ...options.names];
  if (first === undefined || (options.server !== undefined && second === undefined))
    return listTools(context, options, options.server);
  return describeTool(context, options, (config) => readToolName(first, second, serverNamesOf(config)));
}

function listTools(context: Context, options: ToolsOptions, server: string | undefined): Promise<ExitCode> {
  const { io } = context;
  return withStartedEngine(context, oneShot(options, server), async ({ engine, configFile }) => {
    const unknown = await describeUnknownServer(engine, server, configFile);
    if (unknown !== undefined) {
      await printProblems(io, [unknown]);
      return EXIT.usage;
    }
    return printTools(await toolsOf(engine, server), options, io);
  });
}

function describeTool(
  context: Context,
  options: ToolsOptions,
  namedIn: (config: EngineConfig) => NamedTool,
): Promise<ExitCode> {
  const { io } = context;
  const use = { ...oneShot(options), plan: (config: EngineConfig) => planFor(namedIn(config)) };
  return withStartedEngine(context, use, async ({ engine, config, configFile, interrupted, terminated }) => {
    const named = namedIn(config);
    const signal = AbortSignal.any([interrupted, terminated]);
    const tool = await findNamedTool(named, engine, signal);
    if (signal.aborted) return EXIT.interrupted;
    if (tool !== undefined && options.json) {
      await printJson(io, { tools: [toToolJson(tool)] } satisfies ToolsJson);
      return EXIT.ok;
    }
    if (tool !== undefined) {
      const style = { paint: choosePaint(io.stdoutIsTerminal, io.env), columns: io.columns ?? 100 };
      await io.stdout.write(formatTool(tool, { ...style, config: options.config }));
      return EXIT.ok;
    }
    if (named.server !== undefined) return printTools(await toolsOf(engine, named.server), options, io);
    const [{ server, tool: name }] = named.readings;
    const unknown = await describeUnknownServer(engine, server, configFile);
    await printProblems(io, [unknown ?? describeUnknownTool(name, server, await toolsOf(engine, server))]);
    return EXIT.usage;
  });
}

async function toolsOf(engine: Engine, server: string | undefined): Promise<readonly RegisteredTool[]> {
  const all = await engine.tools.list();
  return server === undefined ? all : all.filter(({ ref }) => ref.server === server);
}

async function printTools(tools: readonly RegisteredTool[], { json }: ToolsOptions, io: Io): Promise<ExitCode> {
  await (json
    ? printJson(io, { tools: tools.map(toToolJson) } satisfies ToolsJson)
    : io.stdout.write(formatTools(tools, tableStyle(io))));
  return EXIT.ok;
}

function describeUnknownTool(name: string, server: string | undefined, tools: readonly RegisteredTool[]): string {
  const hint = suggestion(
    name,
    tools.flatMap(({ shownName, ref }) => [shownName, ref.name]),
  );
  const [of, why] = server === undefined ? ["", name] : [` of server '${server}'`, `${name} --server ${server}`];
  return `No tool '${name}'${of} may be called.${hint} \`tacklebox why ${why}\` explains why.`;
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

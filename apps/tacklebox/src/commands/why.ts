import type { Engine, ToolExplanation } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { choosePaint } from "../output/colour.ts";
import type { ExplanationJson, WhyJson } from "../output/json/json-shapes.ts";
import { printJson, printProblems, startProblemTexts } from "../output/print.ts";
import { formatExplanation } from "../output/reports/explanation-report.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";
import { describeUnknownTool } from "../output/unknown-tool.ts";

export interface WhyOptions extends CommonOptions {
  readonly tool: string;
  readonly server: string | undefined;
}

/** Explains step by step why a tool may or may not be called. Prints the explanation before any problems. */
export function run(context: Context, options: WhyOptions): Promise<ExitCode> {
  const { io } = context;
  return withEngine(context, oneShot(options, options.server), async ({ engine, configFile, problems }) => {
    const unknownServer = await describeUnknownServer(engine, options.server, configFile);
    const explanations = await engine.tools.explain(options.tool, options.server);
    const paint = choosePaint(io.stdoutIsTerminal, io.env);
    await (options.json
      ? printJson(io, { explanations: explanations.map(toJson), problems } satisfies WhyJson)
      : io.stdout.write(explanations.map((explanation) => formatExplanation(explanation, paint)).join("\n")));

    const unknown = explanations.length === 0 ? [unknownServer ?? (await describeUnknown(engine, options))] : [];
    await printProblems(io, [...unknown, ...startProblemTexts(problems, options)]);
    if (problems.length > 0) return EXIT.couldNotStart;
    return explanations.length === 0 ? EXIT.usage : EXIT.ok;
  });
}

function toJson({ server, tool, shownName, callable, steps }: ToolExplanation): ExplanationJson {
  return {
    server,
    tool,
    ...(shownName === undefined ? {} : { shown_name: shownName }),
    callable,
    steps,
  };
}

async function describeUnknown(engine: Engine, options: WhyOptions): Promise<string> {
  return `${await describeUnknownTool(engine, options)} \`tacklebox tools\` shows what may be called.`;
}

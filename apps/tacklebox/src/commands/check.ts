import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CheckJson } from "../output/json/json-shapes.ts";
import { printJson, printStartProblems, tableStyle } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { judge } from "../output/reports/check-report.ts";
import { causesToShow, formatServers, toServerJson } from "../output/reports/server-report.ts";

export interface CheckOptions extends CommonOptions {
  /** Whether a server that is down makes the check fail, whether or not it is required. */
  readonly requireAll: boolean;
}

/** Loads the config, connects every server, registers the tools and reports. */
export function run(context: Context, options: CheckOptions): Promise<ExitCode> {
  const { io } = context;
  return withEngine(context, oneShot(options), async ({ engine, problems, warnings }) => {
    const [servers, tools] = await Promise.all([engine.servers.list(), engine.tools.list()]);
    const verdict = judge({ servers, problems, tools: tools.length, requireAll: options.requireAll });
    await printStartProblems(io, problems, options);
    if (options.json) {
      const { ok, down, disabled } = verdict;
      const shown = servers.map(toServerJson);
      const report: CheckJson = { ok, servers: shown, down, disabled, tools: tools.length, problems, warnings };
      await printJson(io, report);
    } else {
      const report = formatServers(servers, tableStyle(io), causesToShow(io, options));
      await io.stdout.write(`${report}\n${printableLine(verdict.text)}\n`);
    }
    return verdict.ok ? EXIT.ok : EXIT.couldNotStart;
  });
}

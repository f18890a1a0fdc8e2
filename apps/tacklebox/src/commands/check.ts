import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CheckJson } from "../output/json/json-shapes.ts";
import { printJson, printStartProblems, tableStyle } from "../output/print.ts";
import { formatServers, toServerJson } from "../output/server-report.ts";

/** Loads the config, connects every server, registers the tools and reports. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withEngine(context, oneShot(common), async ({ engine, problems, warnings }) => {
    const [servers, tools] = await Promise.all([engine.servers.list(), engine.tools.list()]);
    const ok = problems.length === 0;
    await printStartProblems(io, problems);
    if (common.json) {
      const shown = servers.map(toServerJson);
      await printJson(io, { ok, servers: shown, tools: tools.length, problems, warnings } satisfies CheckJson);
    } else {
      const verdict = ok ? "Ready" : `Not ready: ${count(problems.length, "problem")}`;
      const summary = `${verdict}. ${count(tools.length, "tool")} may be called.\n`;
      await io.stdout.write(`${formatServers(servers, tableStyle(io))}\n${summary}`);
    }
    return ok ? EXIT.ok : EXIT.couldNotStart;
  });
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

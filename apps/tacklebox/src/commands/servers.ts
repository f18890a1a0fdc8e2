import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { ServersJson } from "../output/json/json-shapes.ts";
import { printJson, printStartProblems, tableStyle } from "../output/print.ts";
import { causesToShow, formatServers, toServerJson } from "../output/reports/server-report.ts";

/** Shows every configured server, and the table even when there are problems, since that is when it is needed. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withEngine(context, oneShot(common), async ({ engine, problems }) => {
    const servers = await engine.servers.list();
    await (common.json
      ? printJson(io, { servers: servers.map(toServerJson), problems } satisfies ServersJson)
      : io.stdout.write(formatServers(servers, tableStyle(io), causesToShow(io, common))));
    await printStartProblems(io, problems, common);
    return problems.length === 0 ? EXIT.ok : EXIT.couldNotStart;
  });
}

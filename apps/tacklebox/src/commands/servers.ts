import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withEngine } from "../engine/lend.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { ServersJson } from "../output/json-shapes.ts";
import { printJson, printStartProblems, tableLook } from "../output/print.ts";
import { formatServers, toServerJson } from "../output/server-report.ts";

/** Shows every configured server. The table comes before the problems, because that is when one needs it. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withEngine(context, oneShot(common), async ({ engine, problems }) => {
    const servers = await engine.servers.list();
    await (common.json
      ? printJson(io, { servers: servers.map(toServerJson), problems } satisfies ServersJson)
      : io.stdout.write(formatServers(servers, tableLook(io))));
    await printStartProblems(io, problems);
    return problems.length === 0 ? EXIT.ok : EXIT.couldNotStart;
  });
}

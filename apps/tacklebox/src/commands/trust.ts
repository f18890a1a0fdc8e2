import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { TrustJson } from "../output/json/json-shapes.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface TrustOptions extends CommonOptions {
  readonly server: string;
  readonly tool: string | undefined;
}

/** Accepts the current definitions of a server's changed tools. */
export function run(context: Context, options: TrustOptions): Promise<ExitCode> {
  const { io } = context;
  const { server, tool } = options;
  return withStartedEngine(context, oneShot(options, server), async ({ engine, configFile }) => {
    const unknown = await describeUnknownServer(engine, server, configFile);
    if (unknown !== undefined) {
      await printProblems(io, [unknown]);
      return EXIT.usage;
    }
    const accepted = await engine.tools.trust(server, tool);
    await (options.json
      ? printJson(io, { server, accepted } satisfies TrustJson)
      : io.stdout.write(`${describe(server, tool, accepted)}\n`));
    return EXIT.ok;
  });
}

function describe(server: string, tool: string | undefined, accepted: readonly string[]): string {
  if (accepted.length > 0) return printableLine(`Accepted the present definition of: ${accepted.join(", ")}`);
  const subject =
    tool === undefined ? `no tool of server ${server} changed` : `tool ${tool} of server ${server} did not change`;
  return printableLine(`Nothing to accept: ${subject}`);
}

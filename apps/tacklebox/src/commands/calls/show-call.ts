import type { Context } from "../../command-options.ts";
import { describeUnknownId, findCallId } from "../../engine/find-id.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { choosePaint } from "../../output/colour.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { formatCall } from "../../output/reports/call-report.ts";
import type { CallsOptions } from "../calls.ts";
import { toCallJson } from "./call-record.ts";
import { recoverCalls } from "./recover-calls.ts";

/** Shows everything that is kept of one call. */
export async function showCall({ io, ...context }: Context, given: string, options: CallsOptions): Promise<ExitCode> {
  if (options.follow || options.server !== undefined || options.tool !== undefined || options.status !== undefined) {
    await printProblems(io, ["An id shows one call: leave out --follow and the filters."]);
    return EXIT.usage;
  }
  return withExistingRecords({ io, ...context }, options, async (records) => {
    if (records !== undefined) await recoverCalls(io, records);
    const found = records && (await findCallId(given, records.engine));
    const call = found?.kind === "found" ? await records?.engine.calls.get(found.id) : undefined;
    if (call === undefined) {
      const unknown = describeUnknownId("call", given, "tacklebox calls");
      await printProblems(io, [found?.kind === "refused" ? found.message : unknown]);
      return EXIT.usage;
    }
    const paint = choosePaint(io.stdoutIsTerminal, io.env);
    await (options.json ? printJson(io, toCallJson(call)) : io.stdout.write(formatCall(call, paint)));
    return EXIT.ok;
  });
}

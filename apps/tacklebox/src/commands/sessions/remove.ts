import type { CommonOptions, Context } from "../../command-options.ts";
import { findSessionId } from "../../engine/find-id.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { SessionRemoveJson } from "../../output/json/manage-shapes.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableLine } from "../../output/printable.ts";
import { describeUnknownSession } from "./show.ts";

export interface SessionsRemoveOptions extends CommonOptions {
  readonly id: string;
}

/** Removes a conversation with its messages and its grants. The calls it made stay in the call log. */
export function run(context: Context, options: SessionsRemoveOptions): Promise<ExitCode> {
  const { io } = context;
  const { json, id: given } = options;
  return withExistingRecords(context, options, async (records) => {
    const found = records && (await findSessionId(given, records.engine));
    const id = found?.kind === "found" ? found.id : given;
    const removed = found?.kind === "found" && (await records?.engine.sessions.remove(id)) === true;
    if (json) await printJson(io, { id, removed } satisfies SessionRemoveJson);
    if (!removed) {
      await printProblems(io, [found?.kind === "refused" ? found.message : describeUnknownSession(id)]);
      return EXIT.usage;
    }
    if (!json) await io.stdout.write(printableLine(`Removed session ${id} and what was allowed in it.`).concat("\n"));
    return EXIT.ok;
  });
}

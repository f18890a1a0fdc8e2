import { loadConversation } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { describeUnknownId, findSessionId } from "../../engine/find-id.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { choosePaint } from "../../output/colour.ts";
import type { SessionShowJson } from "../../output/json/manage-shapes.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { formatConversation, toMessageJson, toSessionJson } from "../../output/reports/session-report.ts";

export interface SessionsShowOptions extends CommonOptions {
  readonly id: string;
}

/** Shows one conversation from its beginning. */
export function run(context: Context, options: SessionsShowOptions): Promise<ExitCode> {
  const { io } = context;
  const { json, id } = options;
  return withExistingRecords(context, options, async (records) => {
    const found = records && (await findSessionId(id, records.engine));
    const conversation =
      records && found?.kind === "found" ? await loadConversation(records.engine, found.id) : undefined;
    if (conversation === undefined) {
      await printProblems(io, [found?.kind === "refused" ? found.message : describeUnknownSession(id)]);
      return EXIT.usage;
    }
    const { session, messages } = conversation;
    const shown: SessionShowJson = { session: toSessionJson(session), messages: messages.map(toMessageJson) };
    await (json
      ? printJson(io, shown)
      : io.stdout.write(formatConversation(conversation, choosePaint(io.stdoutIsTerminal, io.env))));
    return EXIT.ok;
  });
}

export function describeUnknownSession(id: string): string {
  return describeUnknownId("session", id, "tacklebox sessions list");
}

import type { Session } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { SessionListJson } from "../../output/json/manage-shapes.ts";
import { printJson, tableStyle } from "../../output/print.ts";
import { toSessionJson } from "../../output/reports/session-report.ts";
import { shortenIds } from "../../output/short-ids.ts";
import { formatTable, type TableStyle } from "../../output/table.ts";

export interface SessionsListOptions extends CommonOptions {
  readonly limit: number;
}

/** Shows the conversations, the most recently used first. */
export function run(context: Context, options: SessionsListOptions): Promise<ExitCode> {
  const { io } = context;
  const { json, limit } = options;
  return withExistingRecords(context, options, async (records) => {
    const sessions = records === undefined ? [] : (await records.engine.sessions.list({ limit })).items;
    await (json
      ? printJson(io, { sessions: sessions.map(toSessionJson) } satisfies SessionListJson)
      : io.stdout.write(formatSessions(sessions, tableStyle(io))));
    return EXIT.ok;
  });
}

function formatSessions(sessions: readonly Session[], style: TableStyle): string {
  if (sessions.length === 0) return 'No sessions yet. `tacklebox chat` or `tacklebox run "PROMPT"` begins one.\n';
  const ids = shortenIds(sessions.map(({ id }) => id));
  const rows = sessions.map(({ id, updatedAt, model = "-", gpt = "-", title }, index) => [
    ids[index] ?? id,
    updatedAt,
    model,
    gpt,
    title,
  ]);
  return formatTable(["ID", "USED", "MODEL", "GPT", "TITLE"], rows, style);
}

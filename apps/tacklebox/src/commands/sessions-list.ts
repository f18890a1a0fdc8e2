import type { Session } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { withKeptIfAny } from "../engine/lend.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { SessionListJson } from "../output/manage-shapes.ts";
import { printJson, tableLook } from "../output/print.ts";
import { toSessionJson } from "../output/session-report.ts";
import { formatTable, type TableLook } from "../output/table.ts";

export interface SessionsListOptions extends CommonOptions {
  readonly limit: number;
}

/** Shows the conversations, the one used last first. */
export function run(context: Context, options: SessionsListOptions): Promise<ExitCode> {
  const { io } = context;
  const { json, limit } = options;
  return withKeptIfAny(context, options, async (kept) => {
    const sessions = kept === undefined ? [] : (await kept.engine.sessions.list({ limit })).items;
    await (json
      ? printJson(io, { sessions: sessions.map(toSessionJson) } satisfies SessionListJson)
      : io.stdout.write(formatSessions(sessions, tableLook(io))));
    return EXIT.ok;
  });
}

function formatSessions(sessions: readonly Session[], look: TableLook): string {
  if (sessions.length === 0) return 'No sessions yet. `tacklebox chat` or `tacklebox run "PROMPT"` begins one.\n';
  const rows = sessions.map(({ id, updatedAt, model = "-", gpt = "-", title }) => [id, updatedAt, model, gpt, title]);
  return formatTable(["ID", "USED", "MODEL", "GPT", "TITLE"], rows, look);
}

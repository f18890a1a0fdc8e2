import type { Session } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { SessionListJson } from "../output/manage-shapes.ts";
import { printJson, tableLook } from "../output/print.ts";
import { toSessionJson } from "../output/session-report.ts";
import { formatTable, type TableLook } from "../output/table.ts";
import { withStore } from "../with-store.ts";

export interface SessionsListOptions extends CommonOptions {
  readonly limit: number;
}

/** Shows the conversations, the one used last first. */
export function run({ io }: Context, { json, limit }: SessionsListOptions): Promise<ExitCode> {
  return withStore(io, async (store) => {
    const sessions = (await store?.sessions.list({ limit })) ?? [];
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

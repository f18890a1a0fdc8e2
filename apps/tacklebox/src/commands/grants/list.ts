import type { Grant } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { Colour } from "../../output/colour.ts";
import type { GrantListJson } from "../../output/json/manage-shapes.ts";
import { printJson, tableStyle } from "../../output/print.ts";
import { shortenIds } from "../../output/short-ids.ts";
import { formatTable, type TableStyle } from "../../output/table.ts";

/** Shows every remembered answer to an approval. */
export function run(context: Context, common: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  return withExistingRecords(context, common, async (records) => {
    const grants = (await records?.engine.grants.list()) ?? [];
    await (common.json
      ? printJson(io, { grants: grants.map(toGrantJson) } satisfies GrantListJson)
      : io.stdout.write(formatGrants(grants, tableStyle(io))));
    return EXIT.ok;
  });
}

const VERDICT_COLOURS = { allow: "green", deny: "red" } as const satisfies Record<Grant["verdict"], Colour>;

function formatGrants(grants: readonly Grant[], style: TableStyle): string {
  if (grants.length === 0) return "No grants yet. They come from answering an approval for a session or for good.\n";
  const ids = shortenIds(grants.map(({ id }) => id));
  const rows = grants.map(({ id, verdict, server, tool, sessionId, createdAt }, index) => [
    ids[index] ?? id,
    { text: verdict, colour: VERDICT_COLOURS[verdict] },
    server,
    tool,
    createdAt,
    sessionId === undefined ? "every session" : `session ${sessionId}`,
  ]);
  return formatTable(["ID", "VERDICT", "SERVER", "TOOL", "GIVEN", "FOR"], rows, style);
}

function toGrantJson({ id, verdict, server, tool, sessionId, reason, createdAt }: Grant) {
  return {
    id,
    verdict,
    server,
    tool,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(reason === undefined ? {} : { reason }),
    created_at: createdAt,
  };
}

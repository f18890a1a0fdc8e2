import type { CommonOptions, Context } from "../../command-options.ts";
import { describeUnknownId, findGrantId } from "../../engine/find-id.ts";
import { withExistingRecords } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { GrantRevokeJson } from "../../output/json/manage-shapes.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableLine } from "../../output/printable.ts";

export interface GrantsRevokeOptions extends CommonOptions {
  readonly id: string;
}

/** Revokes a remembered answer, so that the next call of its tool asks again. */
export function run(context: Context, options: GrantsRevokeOptions): Promise<ExitCode> {
  const { io } = context;
  const { json, id: given } = options;
  return withExistingRecords(context, options, async (records) => {
    const found = records && (await findGrantId(given, records.engine));
    const id = found?.kind === "found" ? found.id : given;
    const grant = (await records?.engine.grants.list())?.find((one) => one.id === id);
    const revoked = grant !== undefined && (await records?.engine.grants.revoke(id)) === true;
    if (json) await printJson(io, { id, revoked } satisfies GrantRevokeJson);
    if (!revoked) {
      const unknown = describeUnknownId("grant", id, "tacklebox grants list");
      await printProblems(io, [found?.kind === "refused" ? found.message : unknown]);
      return EXIT.usage;
    }
    if (!json)
      await io.stdout.write(`${printableLine(`Revoked: ${grant.verdict} ${grant.tool} of server ${grant.server}.`)}\n`);
    return EXIT.ok;
  });
}

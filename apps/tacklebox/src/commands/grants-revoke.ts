import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { GrantRevokeJson } from "../output/manage-shapes.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { withStore } from "../with-store.ts";

export interface GrantsRevokeOptions extends CommonOptions {
  readonly id: string;
}

/** Forgets a remembered answer: the next call of its tool asks again. */
export function run({ io }: Context, { json, id }: GrantsRevokeOptions): Promise<ExitCode> {
  return withStore(io, async (store) => {
    const grant = (await store?.grants.list())?.find((one) => one.id === id);
    const revoked = grant !== undefined && (await store?.grants.remove(id)) === true;
    if (json) await printJson(io, { id, revoked } satisfies GrantRevokeJson);
    if (!revoked) {
      await printProblems(io, [`There is no grant '${id}'. \`tacklebox grants list\` shows all.`]);
      return EXIT.usage;
    }
    if (!json)
      await io.stdout.write(`${printableLine(`Revoked: ${grant.verdict} ${grant.tool} of server ${grant.server}.`)}\n`);
    return EXIT.ok;
  });
}

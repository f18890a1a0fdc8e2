import type { CommonOptions, Context } from "../command-options.ts";
import { changeServer } from "../config-file/edit-server.ts";
import type { ExitCode } from "../exit-code.ts";

export interface RemoveOptions extends CommonOptions {
  readonly name: string;
}

/** Removes a server from the config file. Its secrets stay in the vault. */
export function run({ io }: Context, options: RemoveOptions): Promise<ExitCode> {
  return changeServer(io, options, ({ path, entry }) => ({
    edits: [{ kind: "remove", path }],
    result: "removed",
    note: describeSecrets(JSON.stringify(entry)),
  }));
}

function describeSecrets(entry: string): string {
  const names = [...entry.matchAll(/\$\{secret:([^}]*)\}/g)].flatMap(([, name]) => name ?? []);
  const commands = [...new Set(names)].map((name) => `\n  tacklebox secret remove ${name}`);
  return commands.length === 0
    ? ""
    : `\nIts secrets are still in the vault. If nothing else needs them:${commands.join("")}`;
}

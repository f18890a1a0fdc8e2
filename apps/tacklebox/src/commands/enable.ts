import type { CommonOptions, Context } from "../command-options.ts";
import { changeServer } from "../config-file/edit-server.ts";
import { switchEdits } from "../config-file/edit-servers.ts";
import type { ExitCode } from "../exit-code.ts";

export interface EnableOptions extends CommonOptions {
  readonly name: string;
}

/** Switches a server on in the config file. */
export function run({ io }: Context, options: EnableOptions): Promise<ExitCode> {
  return changeServer(io, options, (server, place) => ({
    edits: switchEdits(place, server, true),
    result: "enabled",
    note: "",
  }));
}

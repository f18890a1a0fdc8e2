import type { ServersPlace } from "@tacklebox/core";
import type { CommonOptions } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { ChangeJson } from "../output/json/config-json.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableText } from "../output/printable.ts";
import { cannotEdit, openConfig } from "./edit-config.ts";
import type { WrittenServer } from "./edit-servers.ts";
import type { Edit } from "./edit-text.ts";

export interface ServerEdit {
  /** Empty when the server is already in the wanted state. */
  readonly edits: readonly Edit[];
  readonly result: "removed" | "enabled" | "disabled";
  /** Added to the message that confirms the change. */
  readonly note: string;
}

/** Changes one server in the config file and prints the result. */
export async function changeServer(
  io: Io,
  { name, config: explicit, json }: CommonOptions & { readonly name: string },
  toChange: (server: WrittenServer, place: ServersPlace) => ServerEdit,
): Promise<ExitCode> {
  const config = await openConfig(explicit, io);
  if (config.kind === "refused") return refuse(config.messages, EXIT.couldNotStart);
  const { file } = config;
  const server = config.servers.find((candidate) => candidate.name === name);
  if (server === undefined) return refuse([describeUnknown(file, name, config.servers)], EXIT.usage);

  const { edits, result, note } = toChange(server, config.place);
  if (!edits.every((edit) => config.apply(edit))) return refuse([cannotEdit(file)], EXIT.couldNotStart);
  const saved = await config.save();
  if (saved.kind === "refused") return refuse(saved.messages, EXIT.couldNotStart);
  const done = edits.length === 0 ? "unchanged" : result;
  const text =
    done === "unchanged" ? `'${name}' is already ${result} in ${file}` : `${describeDone(result, name)} ${file}${note}`;
  await (json
    ? printJson(io, { file, server: name, result: done } satisfies ChangeJson)
    : io.stdout.write(`${printableText(text)}\n`));
  return EXIT.ok;

  async function refuse(messages: readonly string[], code: ExitCode): Promise<ExitCode> {
    await printProblems(io, messages);
    return code;
  }
}

function describeUnknown(file: string, name: string, servers: readonly WrittenServer[]): string {
  const known = servers.map((server) => server.name).join(", ");
  return `${file}\nNo server is named "${name}". Servers: ${known === "" ? "none" : known}`;
}

function describeDone(result: ServerEdit["result"], name: string): string {
  if (result === "removed") return `Removed '${name}' from`;
  return `${result === "enabled" ? "Enabled" : "Disabled"} '${name}' in`;
}

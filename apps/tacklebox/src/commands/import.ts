import { resolve } from "node:path";
import type { Vault } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { cannotEdit, openOrMakeConfig } from "../config-file/edit-config.ts";
import { addEdit } from "../config-file/edit-servers.ts";
import { quoteForShell } from "../config-file/quote-for-shell.ts";
import { type WithVault, withVault } from "../engine/with-vault.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type Collection, collectDrafts } from "../importers/collect-drafts.ts";
import { type DescribedServer, describeServer } from "../importers/describe-draft.ts";
import { IMPORTERS } from "../importers/importers.ts";
import { holdBackForeign } from "../importers/own-places.ts";
import { storeAround, takeOver, unsetVariables } from "../importers/take-over.ts";
import type { Io } from "../io.ts";
import type { ImportJson } from "../output/json/config-json.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableText } from "../output/printable.ts";

export interface ImportCommandOptions extends CommonOptions {
  /** The name of a program, or a file. */
  readonly from: string;
  readonly to: string | undefined;
  readonly enable: boolean;
}

/** Copies the servers of another program into the config. Starts none of them. */
export async function run(
  { io }: Context,
  options: ImportCommandOptions,
  useVault: WithVault = withVault,
): Promise<ExitCode> {
  const importer = IMPORTERS.find(({ program }) => program === options.from);
  const files = importer?.places(io) ?? [resolve(io.cwd, options.from)];
  const collection = await collectDrafts(files.map((file) => ({ file, program: importer?.program })));
  if (collection.files.length === 0) {
    await printProblems(io, [describeNothing(importer?.title, files)]);
    return EXIT.couldNotStart;
  }
  const { drafts } = collection;
  const checked = importer === undefined ? drafts : holdBackForeign(drafts, [importer], io);
  // Servers without secrets must not make the program look for the vault's key.
  const collected = { ...collection, drafts: checked };
  if (drafts.every(({ secrets }) => secrets.length === 0)) return write(io, options, collected, undefined);
  return useVault(io, (vault) => write(io, options, collected, vault));
}

async function write(
  io: Io,
  options: ImportCommandOptions,
  collection: Collection,
  vault: Vault | undefined,
): Promise<ExitCode> {
  const config = await openOrMakeConfig(options.to ?? options.config, io);
  if (config.kind === "refused") return refuse(io, config.messages);
  const { servers, entries, toStore, warnings } = await takeOver(collection.drafts, config, vault, options.enable);
  if (entries.size > 0 && !config.apply(addEdit(config.place, entries))) return refuse(io, [cannotEdit(config.file)]);
  const saved = await storeAround(toStore, vault, () => config.save());
  if (saved.kind === "refused") return refuse(io, saved.messages);
  await report(io, options, config.file, { ...collection, warnings: [...collection.warnings, ...warnings] }, servers);
  return collection.problems.length > 0 ? EXIT.couldNotStart : EXIT.ok;
}

async function report(
  io: Io,
  options: ImportCommandOptions,
  file: string,
  { warnings, problems }: Collection,
  servers: readonly DescribedServer[],
): Promise<void> {
  const unset = servers.flatMap((server) => (server.result === "added" ? describeUnset(server, io.env) : []));
  const allWarnings = [...warnings, ...unset];
  await printProblems(io, [...problems, ...allWarnings]);
  if (options.json) {
    const shown = servers.map(({ hints: _hints, heldBack: _heldBack, cause: _cause, ...server }) => server);
    return printJson(io, { file, servers: shown, warnings: allWarnings, problems } satisfies ImportJson);
  }
  const texts = servers.map(describeServer);
  await io.stdout.write(`${[...texts, `${printableText(summarise(file, servers))}\n`].join("\n")}`);
}

/** Warns about variables that are not set, since a config that uses them does not load. */
function describeUnset(server: DescribedServer, env: Io["env"]): string[] {
  const unset = unsetVariables(server, env);
  if (unset.length === 0) return [];
  return [
    `MCP server '${server.name}' reads environment variables that are not set here: ${unset.join(", ")}. Set them before the next start.`,
  ];
}

function summarise(file: string, servers: readonly DescribedServer[]): string {
  const added = servers.filter(({ result }) => result === "added");
  if (servers.length === 0) return "No servers were found there. Nothing was changed.";
  if (added.length === 0) return `Nothing was changed: there are no new servers for ${file}`;
  const off = added.filter(({ enabled }) => !enabled);
  const next = off[0] === undefined ? "" : `\nTo enable one: tacklebox enable ${quoteForShell(off[0].name)}`;
  return `Added ${added.length} ${added.length === 1 ? "server" : "servers"} to ${file}${next}`;
}

function describeNothing(title: string | undefined, files: readonly string[]): string {
  if (title !== undefined)
    return [`No ${title} config was found. Looked at:`, ...files.map((file) => `  ${file}`)].join("\n");
  const known = IMPORTERS.map(({ program }) => program).join(", ");
  return `${files.join("\n")}\nThere is no such file. Name a file, or one of these programs: ${known}`;
}

async function refuse(io: Io, messages: readonly string[]): Promise<ExitCode> {
  await printProblems(io, messages);
  return EXIT.couldNotStart;
}

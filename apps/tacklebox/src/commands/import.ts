import { resolve } from "node:path";
import type { Vault } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { type ConfigDraft, cannotEdit, openOrMakeConfig } from "../config-file/edit-config.ts";
import { addEdit, isSameServer, whyUnsupported } from "../config-file/edit-servers.ts";
import { type WithVault, withVault } from "../engine/with-vault.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type CollectedDraft, type Collection, collectDrafts } from "../importers/collect-drafts.ts";
import { type DescribedServer, describeServer, hintsOf } from "../importers/describe-draft.ts";
import { IMPORTERS } from "../importers/importers.ts";
import { refuseShort } from "../importers/refuse-short.ts";
import { type SettledDraft, settleSecrets } from "../importers/settle-secrets.ts";
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

const FOREIGN = "it comes from the current folder, not from your own settings";

/** Copies the servers of another program into the config. Starts none of them. */
export async function run(
  { io }: Context,
  options: ImportCommandOptions,
  useVault: WithVault = withVault,
): Promise<ExitCode> {
  const importer = IMPORTERS.find(({ program }) => program === options.from);
  const files = importer?.places(io) ?? [resolve(io.cwd, options.from)];
  const collection = await collectDrafts(files, importer?.program);
  // Naming a program means the person's own settings; what the current folder adds to them may come from anybody.
  const own = importer?.places({ ...io, cwd: io.home }) ?? files;
  const drafts = collection.drafts.map((draft) => (own.includes(draft.file) ? draft : { heldBack: FOREIGN, ...draft }));
  if (collection.files.length === 0) {
    await printProblems(io, [describeNothing(importer?.title, files)]);
    return EXIT.couldNotStart;
  }
  // Servers without secrets must not make the program look for the vault's key.
  const collected = { ...collection, drafts };
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

  const claimed = new Map<string, string>();
  const toStore = new Map<string, string>();
  const entries = new Map<string, CollectedDraft["entry"]>();
  const servers: DescribedServer[] = [];
  const refused: string[] = [];
  for (const draft of collection.drafts) {
    const settled =
      vault === undefined ? unsettled(draft) : refuseShort(await settleSecrets(draft, vault, claimed), refused);
    const described = place(settled, config, options.enable);
    servers.push(described);
    if (described.result !== "added") continue;
    for (const [name, value] of settled.toStore) toStore.set(name, value);
    const { enabled: _off, ...entry } = settled.draft.entry;
    entries.set(draft.name, described.enabled ? entry : settled.draft.entry);
  }
  if (entries.size > 0 && !config.apply(addEdit(config.place, entries))) return refuse(io, [cannotEdit(config.file)]);

  // Secrets are stored first, because a config that refers to missing secrets would not start.
  for (const [name, value] of toStore) await vault?.put(name, value);
  const saved = await config.save();
  if (saved.kind === "refused") {
    for (const name of toStore.keys()) await vault?.forget(name);
    return refuse(io, saved.messages);
  }
  await report(io, options, config.file, { ...collection, warnings: [...collection.warnings, ...refused] }, servers);
  return collection.problems.length > 0 ? EXIT.couldNotStart : EXIT.ok;
}

/** Decides what to do with one draft in this config. */
function place(
  { draft, toStore, borrowed }: SettledDraft<CollectedDraft>,
  config: ConfigDraft,
  enable: boolean,
): DescribedServer {
  const { name, file, shown, secrets } = draft;
  const heldBack = draft.heldBack ?? describeAsked(draft, borrowed);
  const enabled = enable && heldBack === undefined;
  const existing = config.servers.find((server) => server.name === name);
  const cause = whyUnsupported(config.place, draft.entry);
  const described = {
    name,
    from: file,
    ...shown,
    secrets: secrets.map((secret) => ({
      name: secret.name,
      where: secret.where,
      stored: secret.value !== undefined || borrowed.includes(secret.name),
    })),
    hints: hintsOf(secrets),
    heldBack: enable ? heldBack : undefined,
    cause,
  };
  if (existing !== undefined) {
    const isOn = existing.entry.enabled !== false && existing.entry.disabled !== true;
    const isSame = isSameServer(config.place, existing, draft.entry);
    const stillMissing = described.secrets.map((secret) => ({
      ...secret,
      stored: secret.stored && !toStore.has(secret.name),
    }));
    return { ...described, secrets: stillMissing, result: isSame ? "unchanged" : "conflict", enabled: isOn };
  }
  if (cause !== undefined) return { ...described, result: "unsupported", enabled: false };
  return { ...described, result: "added", enabled };
}

function unsettled(draft: CollectedDraft): SettledDraft<CollectedDraft> {
  return { draft, toStore: new Map(), borrowed: [] };
}

/** Why a server that needs secrets stays off until a person agrees. */
function describeAsked({ secrets }: CollectedDraft, borrowed: readonly string[]): string | undefined {
  if (borrowed.length > 0) return `it would be given ${borrowed.join(", ")}, which the vault already has`;
  const asked = secrets.filter(({ value }) => value === undefined).map(({ name }) => name);
  return asked.length === 0 ? undefined : `it needs ${asked.join(", ")}`;
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
function describeUnset({ name, reads }: DescribedServer, env: Io["env"]): string[] {
  const unset = reads.filter((variable) => env[variable] === undefined);
  if (unset.length === 0) return [];
  return [
    `MCP server '${name}' reads variables that are not set here: ${unset.join(", ")}. Set them before the next start.`,
  ];
}

function summarise(file: string, servers: readonly DescribedServer[]): string {
  const added = servers.filter(({ result }) => result === "added");
  if (servers.length === 0) return "No servers found there. Nothing was changed.";
  if (added.length === 0) return `Nothing was changed: no new servers for ${file}`;
  const off = added.filter(({ enabled }) => !enabled);
  const next = off[0] === undefined ? "" : `\nTo switch one on: tacklebox enable ${off[0].name}`;
  return `Added ${added.length} ${added.length === 1 ? "server" : "servers"} to ${file}${next}`;
}

function describeNothing(title: string | undefined, files: readonly string[]): string {
  if (title !== undefined)
    return [`No file of ${title} found. Looked at:`, ...files.map((file) => `  ${file}`)].join("\n");
  const known = IMPORTERS.map(({ program }) => program).join(", ");
  return `${files.join("\n")}\nThere is no such file. Name a file, or one of: ${known}`;
}

async function refuse(io: Io, messages: readonly string[]): Promise<ExitCode> {
  await printProblems(io, messages);
  return EXIT.couldNotStart;
}

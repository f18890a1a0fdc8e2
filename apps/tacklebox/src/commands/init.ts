import type { Vault } from "@tacklebox/core";
import { canAsk } from "../asking/read-answer.ts";
import type { CommonOptions, Context } from "../command-options.ts";
import { findConfig } from "../config-file/find-config.ts";
import { quoteForShell } from "../config-file/quote-for-shell.ts";
import { type WithVault, withVault } from "../engine/with-vault.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Collection } from "../importers/collect-drafts.ts";
import { type DescribedServer, describeResult, describeServer } from "../importers/describe-draft.ts";
import { storeAround, takeOver } from "../importers/take-over.ts";
import { type ChosenDrafts, chooseDrafts } from "../init/choose-drafts.ts";
import { findDrafts, PROGRAMS } from "../init/find-drafts.ts";
import { type NewConfig, newConfig } from "../init/new-config.ts";
import type { Io } from "../io.ts";
import type { ImportJson } from "../output/json/config-json.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableLine, printableText } from "../output/printable.ts";

export interface InitOptions extends CommonOptions {
  readonly here: boolean;
  /** Whether to import every server that is found, without asking. */
  readonly yes: boolean;
  /** Whether those are enabled. */
  readonly enable: boolean;
  /** False: do not look for servers of other programs. */
  readonly imports: boolean;
}

/** What was decided about the servers of other programs, and how. */
interface Decision extends ChosenDrafts {
  readonly how: "asked" | "by-options" | "not-looked" | "none-found";
}

/** Creates a config file, with the servers of other programs that the person wants. Starts none of them. */
export async function run({ io }: Context, options: InitOptions, useVault: WithVault = withVault): Promise<ExitCode> {
  const config = newConfig(options, io);
  if (config.kind === "refused") return refuse(io, [config.message], EXIT.couldNotStart);
  const mayAsk = canAsk(io) && !options.json;
  const looks = options.imports && (options.yes || mayAsk);
  const collection = looks ? await findDrafts(io) : NOTHING;
  await printProblems(io, [...collection.problems, ...collection.warnings]);
  const decision = await decide(io, options, collection, looks);
  if (decision === undefined) return refuse(io, ["Nothing was written."], EXIT.interrupted);

  const finish = (vault: Vault | undefined) => write(io, options, { config, collection, decision, vault });
  // Servers without secrets must not make the program look for the vault's key.
  return decision.drafts.every(({ secrets }) => secrets.length === 0) ? finish(undefined) : useVault(io, finish);
}

const NOTHING: Collection = { drafts: [], files: [], warnings: [], problems: [] };

async function decide(
  io: Io,
  { yes, enable }: InitOptions,
  { drafts }: Collection,
  looked: boolean,
): Promise<Decision | undefined> {
  if (drafts.length === 0) return { drafts, enable, how: looked ? "none-found" : "not-looked" };
  if (yes) return { drafts, enable, how: "by-options" };
  const chosen = await chooseDrafts(io, drafts);
  return chosen === undefined ? undefined : { ...chosen, how: "asked" };
}

interface ToWrite {
  readonly config: NewConfig;
  readonly collection: Collection;
  readonly decision: Decision;
  readonly vault: Vault | undefined;
}

async function write(io: Io, { json }: InitOptions, { config, collection, decision, vault }: ToWrite) {
  const destination = { place: config.place, servers: [] };
  const taken = await takeOver(decision.drafts, destination, vault, decision.enable);
  const saved = await storeAround(taken.toStore, vault, () => config.create(taken.entries));
  if (saved.kind === "refused") return refuse(io, saved.messages, EXIT.couldNotStart);
  await printProblems(io, taken.warnings);
  if (json) {
    const servers = taken.servers.map(({ hints: _hints, heldBack: _heldBack, cause: _cause, ...server }) => server);
    const warnings = [...collection.warnings, ...taken.warnings];
    await printJson(io, { file: config.file, servers, warnings, problems: collection.problems } satisfies ImportJson);
  } else {
    await io.stdout.write(printableText(describeDone(io, config.file, decision, taken.servers)));
  }
  return EXIT.ok;
}

function describeDone(io: Io, file: string, { how }: Decision, servers: readonly DescribedServer[]): string {
  const lines = [`Created ${file}`];
  // Whoever was asked has just seen the servers; everybody else sees them here.
  if (how === "asked")
    lines.push(
      ...servers.map((server) => printableLine(`  '${server.name}': ${describeResult(server).replace(/^[+!] /, "")}`)),
    );
  if (how === "by-options") lines.push("", servers.map(describeServer).join("\n").trimEnd());
  if (how === "none-found") lines.push(`No servers were found in other programs. Looked at ${PROGRAMS}.`);
  const used = findConfig(undefined, io);
  if (used.kind === "found" && used.file !== file && io.env.TACKLEBOX_CONFIG === undefined)
    lines.push(`In this folder, another config file is used first: ${used.file}`);
  return `${[...lines, "", ...describeNext(servers)].join("\n")}\n`;
}

function describeNext(servers: readonly DescribedServer[]): readonly string[] {
  const off = servers.find(({ result, enabled }) => result === "added" && !enabled);
  const next: [string, string][] = [];
  if (servers.length === 0) next.push(["tacklebox add --help", "see how to add a server, or edit the file"]);
  if (off !== undefined) next.push([`tacklebox enable ${quoteForShell(off.name)}`, "enable a server"]);
  next.push(["tacklebox check", "connect every server and report problems"]);
  next.push(["tacklebox", "start chatting"]);
  const width = Math.max(...next.map(([command]) => command.length)) + 2;
  return ["Next:", ...next.map(([command, purpose]) => `  ${command.padEnd(width)}${purpose}`)];
}

async function refuse(io: Io, messages: readonly string[], code: ExitCode): Promise<ExitCode> {
  await printProblems(io, messages);
  return code;
}

import { type ImportedSecret, moveSecretsOut } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { settleAgreement } from "../config-file/agreement/settle-agreement.ts";
import { type ConfigDraft, cannotEdit, openOrMakeConfig } from "../config-file/edit-config.ts";
import { addEdit, whyUnsupported } from "../config-file/edit-servers.ts";
import { quoteForShell } from "../config-file/quote-for-shell.ts";
import { withRecords } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { ChangeJson } from "../output/json/config-json.ts";
import { printFailure, printJson, printProblems } from "../output/print.ts";
import { printableText } from "../output/printable.ts";
import { readSecret } from "../read-secret.ts";

export interface AddOptions extends CommonOptions {
  readonly name: string;
  /** The program to start; exactly one of `command` and `url` is given. */
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly url: string | undefined;
  /** Each is `NAME=value`; the value `-` is read from stdin. */
  readonly env: readonly string[];
  /** Each is `Name: value`; a last word `-` is read from stdin. */
  readonly headers: readonly string[];
  readonly transport: string | undefined;
  readonly mode: string | undefined;
  readonly required: boolean;
  readonly to: string | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** Writes a new server into the config file. */
export async function run(context: Context, options: AddOptions): Promise<ExitCode> {
  const { io } = context;
  const { name } = options;
  const written = toPairs(options);
  if (written.kind === "invalid") return refuse(io, [written.message], EXIT.usage);
  const waiting = [...written.env, ...written.headers].filter(({ value }) => isFromStdin(value));
  if (waiting.length > 1) return refuse(io, ["Only one value can come from stdin; write - once."], EXIT.usage);
  const unagreed = waiting.length === 0 ? undefined : await settleAgreement(io, options.to ?? options.config);
  if (unagreed !== undefined) return refuse(io, unagreed, EXIT.couldNotStart);
  const read = waiting[0] === undefined ? undefined : await readSecret(waiting[0].key, io);
  if (read?.kind === "refused") return refuse(io, [read.message], EXIT.usage);
  if (read?.kind === "cancelled") return refuse(io, ["Nothing was added."], EXIT.interrupted);

  const { entry, secrets } = moveSecretsOut(name, toEntry(options, written, read?.value ?? ""));
  const typed = secrets.filter(({ value }) => read === undefined || value !== read.value);
  if (typed.length > 0) return refuse(io, [describeTyped(typed)], EXIT.usage);

  const config = await openOrMakeConfig(options.to ?? options.config, io);
  if (config.kind === "refused") return refuse(io, config.messages, EXIT.couldNotStart);
  const fault = whyNotAdded(name, entry, config);
  if (fault !== undefined) return refuse(io, [`${config.file}\n${fault}`], EXIT.usage);
  if (!config.apply(addEdit(config.place, new Map([[name, entry]]))))
    return refuse(io, [cannotEdit(config.file)], EXIT.couldNotStart);
  const [secret] = secrets;
  if (secret?.value === undefined) return save(io, options, config, "");
  const { name: secretName, value } = secret;
  return withRecords(context, options, async ({ engine: { secrets: vault } }) => {
    if ((await vault.list()).some((stored) => stored.name === secretName)) {
      const text = `The vault already has a secret ${secretName}. To use it, write \${secret:${secretName}} instead of -; to replace it: tacklebox secret set ${secretName}`;
      return refuse(io, [text], EXIT.usage);
    }
    const put = await vault.put(secretName, value);
    if (put.kind === "failed") return printFailure(io, put.failure);
    const code = await save(io, options, config, `\nIts secret is in the vault as ${secretName}`);
    if (code !== EXIT.ok) await vault.forget(secretName);
    return code;
  });
}

async function save(io: Io, { name, json }: AddOptions, config: ConfigDraft, note: string): Promise<ExitCode> {
  const saved = await config.save();
  if (saved.kind === "refused") return refuse(io, saved.messages, EXIT.couldNotStart);
  await (json
    ? printJson(io, { file: config.file, server: name, result: "added" } satisfies ChangeJson)
    : io.stdout.write(`${printableText(`Added '${name}' to ${config.file}${note}`)}\n`));
  return EXIT.ok;
}

interface Pair {
  readonly key: string;
  readonly value: string;
}

type Pairs =
  | { readonly kind: "ok"; readonly env: readonly Pair[]; readonly headers: readonly Pair[] }
  | { readonly kind: "invalid"; readonly message: string };

function toPairs({ env, headers }: AddOptions): Pairs {
  const variables = env.map((text) => split(text, /^([^=]+)=([\s\S]*)$/));
  // The message does not repeat the text: without a name, it may be the secret value itself.
  if (!variables.every((pair) => pair !== undefined))
    return { kind: "invalid", message: "Write an environment variable as --env NAME=value" };
  const fields = headers.map((text) => split(text, /^([^:=\s]+)\s*[:=]\s*([\s\S]*)$/));
  if (!fields.every((pair) => pair !== undefined))
    return { kind: "invalid", message: "Write a header as --header 'Name: value'" };
  return { kind: "ok", env: variables, headers: fields };
}

function split(text: string, pattern: RegExp): Pair | undefined {
  const [, key, value] = pattern.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : { key, value };
}

/** Matches `-` and `Bearer -`. */
function isFromStdin(value: string): boolean {
  return /^(\S+ )?-$/.test(value);
}

function toEntry(options: AddOptions, { env, headers }: Extract<Pairs, { kind: "ok" }>, piped: string): Entry {
  const { transport, command, args, url, mode, required } = options;
  const fill = (pairs: readonly Pair[]) =>
    Object.fromEntries(
      pairs.map(({ key, value }) => [key, isFromStdin(value) ? `${value.slice(0, -1)}${piped}` : value]),
    );
  return {
    ...(transport === undefined ? {} : { transport }),
    ...(command === undefined ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0 ? {} : { env: fill(env) }),
    ...(url === undefined ? {} : { url }),
    ...(headers.length === 0 ? {} : { headers: fill(headers) }),
    ...(mode === undefined ? {} : { mode }),
    ...(required ? { required } : {}),
  };
}

function whyNotAdded(name: string, entry: Entry, { servers, place }: ConfigDraft): string | undefined {
  if (servers.some((server) => server.name === name))
    return `There is already a server named "${name}". Remove it first: tacklebox remove ${quoteForShell(name)}`;
  const cause = whyUnsupported(place, entry);
  return cause === undefined ? undefined : `"${name}" cannot be added here: ${cause}`;
}

function describeTyped(secrets: readonly ImportedSecret[]): string {
  const places = secrets.map(({ where }) => where).join(", ");
  const name = secrets[0]?.name ?? "NAME";
  return `This looks like a secret on the command line, where other users can see it: ${places}
Store it with: tacklebox secret set ${name}
and write \${secret:${name}} in its place, or the name of a variable: \${${name}} (in single quotes).
Or pipe it in and write - in its place.`;
}

async function refuse(io: Io, messages: readonly string[], code: ExitCode): Promise<ExitCode> {
  await printProblems(io, messages);
  return code;
}

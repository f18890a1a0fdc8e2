import type { ContentBlock, FilledPrompt, Prompt, ServerOffers } from "@tacklebox/core";
import { isJsonObject } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { type BorrowedEngine, oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode, exitCodeOfFailure } from "../exit-code.ts";
import type { FilledPromptJson, PromptsJson } from "../output/json/offers-json.ts";
import { forStream, printJson, printProblems, tableStyle } from "../output/print.ts";
import { formatTable, type TableStyle } from "../output/table.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface PromptsOptions extends CommonOptions {
  readonly server: string | undefined;
  /** The prompt to fill in; undefined lists all of them. */
  readonly prompt: { readonly name: string; readonly arguments: Readonly<Record<string, string>> } | undefined;
}

/** Lists the prompts that servers offer, or shows one of them filled in. */
export function run(context: Context, options: PromptsOptions): Promise<ExitCode> {
  return withStartedEngine(context, oneShot(options, options.server), async (borrowed) => {
    const { engine, configFile, interrupted, terminated } = borrowed;
    const { server, prompt } = options;
    const unknown = await describeUnknownServer(engine, server, configFile);
    if (unknown !== undefined) {
      await printProblems(context.io, [unknown]);
      return EXIT.usage;
    }
    const signal = AbortSignal.any([interrupted, terminated]);
    if (server === undefined || prompt === undefined) return list(context, options, borrowed, signal);
    return fill(context, { ...prompt, server, json: options.json }, borrowed, signal);
  });
}

async function list(
  { io }: Context,
  { server, json }: PromptsOptions,
  { engine }: BorrowedEngine,
  signal: AbortSignal,
): Promise<ExitCode> {
  const offers = await engine.servers.offers(server, { signal });
  if (signal.aborted) return EXIT.interrupted;
  await (json ? printJson(io, toPromptsJson(offers)) : io.stdout.write(formatPrompts(offers, tableStyle(io))));
  const failures = offers.flatMap(({ failure }) => failure?.message ?? []);
  if (!json) await printProblems(io, failures);
  return failures.length === 0 ? EXIT.ok : EXIT.callFailed;
}

interface Wanted {
  readonly server: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly json: boolean;
}

async function fill(
  { io }: Context,
  wanted: Wanted,
  { engine }: BorrowedEngine,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { server, name, json } = wanted;
  const answer = await engine.servers.getPrompt(server, name, wanted.arguments, { signal });
  if (answer.kind === "ok") {
    await (json
      ? printJson(io, { server, prompt: name, ...answer.value } satisfies FilledPromptJson)
      : io.stdout.write(forStream(formatMessages(answer.value), io.stdoutIsTerminal)));
    return EXIT.ok;
  }
  const { code: ending, message } = answer.failure;
  await (json
    ? printJson(io, { server, prompt: name, messages: [], ending, error: message } satisfies FilledPromptJson)
    : printProblems(io, [message]));
  return signal.aborted ? EXIT.interrupted : exitCodeOfFailure(answer.failure);
}

function formatPrompts(offers: readonly ServerOffers[], style: TableStyle): string {
  const rows = offers.flatMap(({ server, prompts }) =>
    prompts.map((prompt) => [server, prompt.name, argumentsText(prompt), prompt.description ?? ""]),
  );
  if (rows.length === 0) return "No server offers prompts.\n";
  return formatTable(["SERVER", "PROMPT", "ARGUMENTS", "DESCRIPTION"], rows, style);
}

function argumentsText({ arguments: args }: Prompt): string {
  return args.map(({ name, required }) => (required ? name : `${name}?`)).join(", ");
}

function toPromptsJson(offers: readonly ServerOffers[]): PromptsJson {
  return {
    servers: offers.map(({ server, prompts, failure }) => ({
      server,
      prompts: prompts.map(({ name, description, arguments: args }) => ({
        name,
        ...(description !== undefined && { description }),
        arguments: args,
      })),
      ...(failure !== undefined && { error: failure.message }),
    })),
  };
}

function formatMessages({ messages }: FilledPrompt): string {
  return messages.map(({ role, content }) => `${role}:\n${blockText(content)}\n`).join("\n");
}

function blockText(block: ContentBlock): string {
  if (typeof block.text === "string") return block.text;
  const { resource } = block;
  if (isJsonObject(resource) && typeof resource.text === "string") return resource.text;
  return `[${block.type}]`;
}

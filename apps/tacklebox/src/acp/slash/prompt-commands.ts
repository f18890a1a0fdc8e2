import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { Prompt, ServerOffers } from "@tacklebox/core";

/** A server's prompt as a slash command. */
export interface PromptCommand {
  /** The name typed after the slash. */
  readonly name: string;
  readonly server: string;
  readonly prompt: Prompt;
}

/** Gives every prompt a unique name of the form `server:prompt`, without white space. */
export function toPromptCommands(offers: readonly ServerOffers[]): readonly PromptCommand[] {
  const taken = new Set<string>();
  return offers.flatMap(({ server, prompts }) =>
    prompts.map((prompt) => {
      const wanted = `${server}:${prompt.name}`.replace(/\s+/g, "_");
      let name = wanted;
      for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
      taken.add(name);
      return { name, server, prompt };
    }),
  );
}

export function toAvailableCommand({ name, server, prompt }: PromptCommand): AvailableCommand {
  return {
    name,
    description: prompt.description || `The prompt '${prompt.name}' of MCP server '${server}'`,
    ...(prompt.arguments.length > 0 && { input: { hint: hintFor(prompt) } }),
  };
}

function hintFor({ arguments: args }: Prompt): string {
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
}

/** The prompt's arguments as typed, or a message on how to type them. */
export type FilledArguments =
  | { readonly kind: "filled"; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: "incomplete"; readonly message: string };

/** Takes arguments by name (`city=Oslo`) or in the prompt's order; the last one takes all remaining words. */
export function fillArguments({ name, prompt }: PromptCommand, typed: string): FilledArguments {
  const values: Record<string, string> = {};
  const rest: string[] = [];
  for (const word of splitWords(typed)) {
    const [, key = "", value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    if (prompt.arguments.some((argument) => argument.name === key)) values[key] = value;
    else rest.push(word);
  }
  const open = prompt.arguments.filter((argument) => values[argument.name] === undefined);
  for (const [index, { name: key }] of open.entries()) {
    const words = index === open.length - 1 ? rest.splice(0) : rest.splice(0, 1);
    if (words.length > 0) values[key] = words.join(" ");
  }
  const missing = prompt.arguments.filter((argument) => argument.required && values[argument.name] === undefined);
  if (missing.length === 0) return { kind: "filled", values };
  const names = missing.map((argument) => argument.name).join(", ");
  return { kind: "incomplete", message: `/${name} also needs: ${names}. Type: /${name} ${hintFor(prompt)}` };
}

/** Splits at white space, except within quotes. */
function splitWords(text: string): readonly string[] {
  return Array.from(text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g), ([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_quoted, double?: string, single?: string) => double ?? single ?? ""),
  );
}

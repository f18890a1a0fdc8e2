import type { CallResultPart, ModelTool } from "@tacklebox/core";
import { KEY_VARIABLES } from "../find/find-models.ts";
import { isPlace, type Kind, type Parameter, parametersOf } from "./parameters.ts";

export const INTRODUCTION = `I am the demo model built into Tacklebox. I only match words; I do not understand them. For a real model, set ${KEY_VARIABLES.join(" or ")}, start Ollama, or add one under 'models' in the config file.`;

export const NO_TOOLS =
  "I have no tools here. Add a server with `tacklebox add`, then check with `tacklebox servers` that it is connected.";

const MAX_NAMED = 12;

export function unknownToolText(all: readonly ModelTool[]): string {
  const tools = all.filter(({ builtIn: ours }) => ours === undefined);
  const names = tools.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = tools.length > MAX_NAMED ? `, and ${tools.length - MAX_NAMED} more` : "";
  const [first] = tools;
  const example = first === undefined ? "" : ` Write a tool's name and its arguments, such as \`${usageOf(first)}\`.`;
  return `I found no tool for that. I can use: ${names.join(", ")}${more}.${example}`;
}

const KIND_TEXTS: Readonly<Record<Kind, string>> = {
  text: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  list: "a list",
  object: "an object",
};

export function missingArgumentsText(tool: ModelTool, missing: readonly Parameter[]): string {
  const needed = missing.map((parameter) => `${parameter.name} (${describe(parameter)})`);
  return `To use ${tool.name} I need ${inWords(needed)}. For example: \`${usageOf(tool)}\``;
}

const MAX_CHOICES = 8;

function describe({ kind, choices }: Parameter): string {
  if (choices.length === 0) return KIND_TEXTS[kind];
  const more = choices.length > MAX_CHOICES ? " …" : "";
  return `${choices.slice(0, MAX_CHOICES).map(String).join(", ")}${more}`;
}

function inWords(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1) ?? ""}`;
}

const MAX_LINES = 12;
const MAX_CHARACTERS = 1_200;

/** Describes one call's result: its beginning, or what went wrong and what to try. */
export function resultText({ tool, text, isError }: CallResultPart, tools: readonly ModelTool[]): string {
  const shown = beginningOf(text.trim());
  if (isError && DENIED.test(shown)) return `${tool} failed: ${shown}`;
  if (isError) return `${tool} failed: ${shown || "it did not say why."}\n\n${nextTryText(tool, tools)}`;
  if (shown === "") return `${tool} is done; it returned no text.`;
  return shown.includes("\n") ? `${tool} answered:\n\n${shown}` : `${tool} answered: ${shown}`;
}

/** A person who denied the call does not want advice on trying again. */
const DENIED = /^(?:MCP error: )?Tool call denied\b/;

function nextTryText(name: string, tools: readonly ModelTool[]): string {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return "Try another tool.";
  return `Try different arguments, such as \`${usageOf(tool)}\`, or another tool.`;
}

function beginningOf(text: string): string {
  const lines = text.split("\n");
  const cut = lines.slice(0, MAX_LINES).join("\n");
  // Cut by code points, so that no surrogate pair is split.
  const characters = Array.from(cut);
  if (characters.length > MAX_CHARACTERS) return `${characters.slice(0, MAX_CHARACTERS).join("")} …`;
  return lines.length > MAX_LINES
    ? `${cut}\n… (${lines.length - MAX_LINES} more ${lines.length === MAX_LINES + 1 ? "line" : "lines"})`
    : cut;
}

/** An example of how to ask for a tool, with every argument it needs. */
export function usageOf({ name, inputSchema }: ModelTool): string {
  const parameters = parametersOf(inputSchema);
  const required = parameters.filter(({ required: needed, fallback }) => needed && fallback === undefined);
  return [name, ...required.map((parameter) => `${parameter.name}=${exampleOf(parameter)}`)].join(" ");
}

const EXAMPLES: Readonly<Record<Kind, string>> = {
  text: "hello",
  number: "1",
  integer: "1",
  boolean: "true",
  list: "[]",
  object: "{}",
};

function exampleOf(parameter: Parameter): string {
  const { kind, member, choices } = parameter;
  const [choice] = choices;
  if (choice !== undefined) return /\s/.test(String(choice)) ? `"${choice}"` : String(choice);
  if (kind === "list" && member !== "object" && member !== "list") return EXAMPLES[member];
  return kind === "text" && isPlace(parameter) ? examplePlace(parameter) : EXAMPLES[kind];
}

function examplePlace({ name }: Parameter): string {
  if (/(?:uri|url|link|address)s?$/i.test(name)) return "https://example.com";
  return /(?:folder|dir|directory)s?$/i.test(name) ? "." : "notes.txt";
}

import type { RegisteredTool } from "../domain/tool.ts";
import { isJsonObject, type Json, type JsonSchema } from "../json/json.ts";

const MOST_PARAMETERS = 12;
const LONGEST_NAME = 40;
const LONGEST_SENTENCE = 160;
const MOST_CHOICES = 4;
const LONGEST_DESCRIPTION = 4_000;
const LONGEST_SCHEMA = 16_000;

/** A tool in one short line: `server/tool(needed: string, other?: number) - What it does.` */
export function toSignature({ shownName, ref, tool }: RegisteredTool): string {
  const sentence = firstSentence(tool.description);
  const line = `${oneLine(ref.server)}/${shownName}(${parametersOf(tool.inputSchema)})`;
  return sentence === "" ? line : `${line} - ${sentence}`;
}

/** All a model needs to call the tool. Servers write what they like here, so that even this has an end. */
export function toFullText({ shownName, ref, tool }: RegisteredTool): string {
  const schema = JSON.stringify(tool.inputSchema);
  const parameters = schema.length > LONGEST_SCHEMA ? `(${parametersOf(tool.inputSchema)}), and more` : schema;
  const lines = [`${oneLine(ref.server)}/${shownName}`, cut(tool.description.trim(), LONGEST_DESCRIPTION)];
  return [...lines.filter((line) => line !== ""), `Parameters: ${parameters}`].join("\n");
}

function parametersOf({ properties, required }: JsonSchema): string {
  if (!isJsonObject(properties)) return "";
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  const neededFirst = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
  const shown = neededFirst
    .slice(0, MOST_PARAMETERS)
    .map(
      (name) =>
        `${cut(oneLine(name), LONGEST_NAME)}${needed.has(name) ? "" : "?"}: ${typeOf(properties[name] ?? true)}`,
    );
  return [...shown, ...(names.length > MOST_PARAMETERS ? ["…"] : [])].join(", ");
}

function typeOf(schema: Json): string {
  if (!isJsonObject(schema)) return "any";
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum
      .slice(0, MOST_CHOICES)
      .map((choice: Json) => cut(oneLine(JSON.stringify(choice)), LONGEST_NAME));
    return [...choices, ...(schema.enum.length > MOST_CHOICES ? ["…"] : [])].join("|");
  }
  if (schema.type === "array")
    return `${isJsonObject(schema.items) ? typeOf({ type: schema.items.type ?? "any" }) : "any"}[]`;
  if (typeof schema.type === "string") return cut(oneLine(schema.type), LONGEST_NAME);
  return "any";
}

function firstSentence(description: string): string {
  const [line = ""] = description.trim().split("\n", 1);
  const end = /[.!?](?=\s|$)/.exec(line);
  return cut(oneLine(end === null ? line : line.slice(0, end.index + 1)), LONGEST_SENTENCE);
}

/** Controls and marks that change the direction of text have no place in a line about a tool. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

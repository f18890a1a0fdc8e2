import type { RegisteredTool } from "../domain/tool.ts";
import { isJsonObject, type Json, type JsonSchema } from "../json/json.ts";

const MAX_PARAMETERS = 12;
const MAX_NAME_LENGTH = 40;
const MAX_SENTENCE_LENGTH = 160;
const MAX_CHOICES = 4;
const MAX_DESCRIPTION_LENGTH = 4_000;
const MAX_SCHEMA_LENGTH = 16_000;

/** Describes a tool in one short line: `server/tool(needed: string, other?: number) - What it does.` */
export function toSignature({ shownName, ref, tool }: RegisteredTool): string {
  const sentence = firstSentence(tool.description);
  const line = `${oneLine(ref.server)}/${shownName}(${parametersOf(tool.inputSchema)})`;
  return sentence === "" ? line : `${line} - ${sentence}`;
}

/** Everything a model needs to call the tool. Bounded in length, because servers may write any amount of text. */
export function toFullText({ shownName, ref, tool }: RegisteredTool): string {
  const schema = JSON.stringify(tool.inputSchema);
  const parameters = schema.length > MAX_SCHEMA_LENGTH ? `(${parametersOf(tool.inputSchema)}), and more` : schema;
  const lines = [`${oneLine(ref.server)}/${shownName}`, cut(tool.description.trim(), MAX_DESCRIPTION_LENGTH)];
  return [...lines.filter((line) => line !== ""), `Parameters: ${parameters}`].join("\n");
}

function parametersOf({ properties, required }: JsonSchema): string {
  if (!isJsonObject(properties)) return "";
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  const neededFirst = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
  const shown = neededFirst
    .slice(0, MAX_PARAMETERS)
    .map(
      (name) =>
        `${cut(oneLine(name), MAX_NAME_LENGTH)}${needed.has(name) ? "" : "?"}: ${typeOf(properties[name] ?? true)}`,
    );
  return [...shown, ...(names.length > MAX_PARAMETERS ? ["…"] : [])].join(", ");
}

function typeOf(schema: Json): string {
  if (!isJsonObject(schema)) return "any";
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum
      .slice(0, MAX_CHOICES)
      .map((choice: Json) => cut(oneLine(JSON.stringify(choice)), MAX_NAME_LENGTH));
    return [...choices, ...(schema.enum.length > MAX_CHOICES ? ["…"] : [])].join("|");
  }
  if (schema.type === "array")
    return `${isJsonObject(schema.items) ? typeOf({ type: schema.items.type ?? "any" }) : "any"}[]`;
  if (typeof schema.type === "string") return cut(oneLine(schema.type), MAX_NAME_LENGTH);
  return "any";
}

function firstSentence(description: string): string {
  const [line = ""] = description.trim().split("\n", 1);
  const end = /[.!?](?=\s|$)/.exec(line);
  return cut(oneLine(end === null ? line : line.slice(0, end.index + 1)), MAX_SENTENCE_LENGTH);
}

/** Turns text into a single line without control characters or marks that change the direction of text. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

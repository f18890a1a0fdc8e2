import type { SearchField } from "../../../domain/selection.ts";
import { isJsonObject, type JsonSchema } from "../../../json/json.ts";
import type { SearchableTool } from "../tool-search.ts";
import { splitWords } from "../words/split-words.ts";

/** The searched fields; their order is the numbering of fields in the whole index. */
export const FIELDS: readonly SearchField[] = ["name", "server", "description", "parameter", "parameter-description"];

/** Longer names were not written for people to search. */
const MAX_NAME_LENGTH = 300;
const MAX_DESCRIPTION_LENGTH = 6_000;
const MAX_PARAMETERS_LENGTH = 4_000;
const MAX_PARAMETER_DEPTH = 3;
const MAX_PARAMETERS = 200;
const MAX_VALUES = 20;

/** The words of a tool, by field. */
export function wordsOfTool({ server, name, title, description, inputSchema }: SearchableTool): string[][] {
  const parameters = parametersOf(inputSchema);
  // A title mostly repeats the name, so it only counts as part of the description.
  const text = title === undefined ? description : `${title.slice(0, MAX_NAME_LENGTH)}\n${description}`;
  return [
    splitWords(name, MAX_NAME_LENGTH),
    splitWords(server, MAX_NAME_LENGTH),
    splitWords(text, MAX_DESCRIPTION_LENGTH),
    splitWords(parameters.names.join(" "), MAX_PARAMETERS_LENGTH),
    splitWords(parameters.descriptions.join(" "), MAX_PARAMETERS_LENGTH),
  ];
}

interface Parameters {
  readonly names: string[];
  readonly descriptions: string[];
}

function parametersOf(schema: JsonSchema): Parameters {
  const found: Parameters = { names: [], descriptions: [] };
  collect(schema, 0, found);
  return found;
}

function collect(schema: unknown, depth: number, found: Parameters): void {
  if (!isJsonObject(schema) || depth > MAX_PARAMETER_DEPTH || !isJsonObject(schema.properties)) return;
  for (const name of Object.keys(schema.properties)) {
    if (found.names.length >= MAX_PARAMETERS) return;
    found.names.push(name);
    const parameter = schema.properties[name];
    if (!isJsonObject(parameter)) continue;
    if (typeof parameter.description === "string")
      found.descriptions.push(parameter.description.slice(0, MAX_PARAMETERS_LENGTH));
    if (Array.isArray(parameter.enum)) found.descriptions.push(namedValues(parameter.enum));
    collect(parameter, depth + 1, found);
    collect(parameter.items, depth + 1, found);
  }
}

function namedValues(values: readonly unknown[]): string {
  return values
    .filter((value) => typeof value === "string")
    .slice(0, MAX_VALUES)
    .map((value) => value.slice(0, MAX_NAME_LENGTH))
    .join(" ");
}

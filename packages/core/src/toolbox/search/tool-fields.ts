import type { SearchField } from "../../domain/selection.ts";
import { isJsonObject, type JsonSchema } from "../../json/json.ts";
import type { SearchableTool } from "./tool-search.ts";
import { splitWords } from "./words/split-words.ts";

/** In the order in which everything here counts fields. */
export const FIELDS: readonly SearchField[] = ["name", "server", "description", "parameter", "parameter-description"];

/** What is longer was not written to be found. */
const LONGEST_NAME = 300;
const LONGEST_DESCRIPTION = 6_000;
const LONGEST_PARAMETERS = 4_000;
const DEEPEST_PARAMETER = 3;
const MOST_PARAMETERS = 200;
const MOST_VALUES = 20;

/** The words of a tool, field by field. */
export function wordsOfTool({ server, name, title, description, inputSchema }: SearchableTool): string[][] {
  const parameters = parametersOf(inputSchema);
  // A title mostly repeats the name, which says enough.
  const text = title === undefined ? description : `${title.slice(0, LONGEST_NAME)}\n${description}`;
  return [
    splitWords(name, LONGEST_NAME),
    splitWords(server, LONGEST_NAME),
    splitWords(text, LONGEST_DESCRIPTION),
    splitWords(parameters.names.join(" "), LONGEST_PARAMETERS),
    splitWords(parameters.descriptions.join(" "), LONGEST_PARAMETERS),
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
  if (!isJsonObject(schema) || depth > DEEPEST_PARAMETER || !isJsonObject(schema.properties)) return;
  for (const name of Object.keys(schema.properties)) {
    if (found.names.length >= MOST_PARAMETERS) return;
    found.names.push(name);
    const parameter = schema.properties[name];
    if (!isJsonObject(parameter)) continue;
    if (typeof parameter.description === "string")
      found.descriptions.push(parameter.description.slice(0, LONGEST_PARAMETERS));
    if (Array.isArray(parameter.enum)) found.descriptions.push(namedValues(parameter.enum));
    collect(parameter, depth + 1, found);
    collect(parameter.items, depth + 1, found);
  }
}

function namedValues(values: readonly unknown[]): string {
  return values
    .filter((value) => typeof value === "string")
    .slice(0, MOST_VALUES)
    .map((value) => value.slice(0, LONGEST_NAME))
    .join(" ");
}

import { isJsonObject, type JsonSchema } from "./json.ts";

/** An argument that is repeated in an HTTP header, where proxies and their logs can read it. */
export interface MirroredArgument {
  /** The names of the properties that lead to it. */
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean"]);
const MAX_DEPTH = 32;

const known = new WeakMap<JsonSchema, Marks>();

interface Marks {
  readonly mirrored: readonly MirroredArgument[];
  /** Paths of marks that the protocol does not allow. */
  readonly invalid: readonly string[];
}

/** The arguments that a tool's schema marks with `x-mcp-header`. */
export function mirroredArguments(schema: JsonSchema): readonly MirroredArgument[] {
  return marksOf(schema).mirrored;
}

/** Marks that the protocol does not allow, by the path of their argument: a client must not use such a tool. */
export function invalidMirrors(schema: JsonSchema): readonly string[] {
  return marksOf(schema).invalid;
}

/** `region (mcp-param-region)`, for people. */
export function mirroredText(mirrored: readonly MirroredArgument[]): string {
  return mirrored.map(({ path, header }) => `${path.join(".")} (${header})`).join(", ");
}

function marksOf(schema: JsonSchema): Marks {
  const found = known.get(schema) ?? findMarks(schema);
  known.set(schema, found);
  return found;
}

function findMarks(schema: JsonSchema): Marks {
  const mirrored: MirroredArgument[] = [];
  const invalid: string[] = [];
  collect(schema, [], mirrored, invalid);
  const headers = mirrored.map(({ header }) => header);
  const repeated = mirrored.filter(({ header }, index) => headers.indexOf(header) !== index);
  return { mirrored, invalid: [...invalid, ...repeated.map(({ path }) => path.join("."))] };
}

/** Honours marks only on properties reached through `properties` alone, where the argument's path is unambiguous. */
function collect(schema: JsonSchema, path: readonly string[], mirrored: MirroredArgument[], invalid: string[]): void {
  if (!isJsonObject(schema.properties) || path.length >= MAX_DEPTH) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isJsonObject(property)) continue;
    const mark = property["x-mcp-header"];
    const at = [...path, name];
    if (typeof mark === "string" && TOKEN.test(mark) && MIRRORED_TYPES.has(property.type))
      mirrored.push({ path: at, header: `mcp-param-${mark.toLowerCase()}` });
    else if (mark !== undefined) invalid.push(at.join("."));
    collect(property, at, mirrored, invalid);
  }
}

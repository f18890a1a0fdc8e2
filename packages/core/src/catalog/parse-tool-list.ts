import type { QuarantinedTool, Tool, ToolListing } from "../domain/tool.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import { mirroredArguments } from "../json/mirrored-arguments.ts";
import { nestsDeeper } from "../json/nesting.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { createRedactor, redactJson } from "../secrets/redact.ts";
import { mirrorProblem } from "./check-mirrors.ts";
import { schemaProblem } from "./check-schema.ts";

const MAX_NAME_LENGTH = 512;
/** The whole entry is traversed for its fingerprint; schemas in it have their own limit. */
const MAX_ENTRY_DEPTH = 200;
const NO_PARAMETERS: JsonObject = { type: "object", properties: {} };

/**
 * Reads a server's tool list entry by entry: a bad entry is quarantined with its reason, without affecting the others.
 * Reasons quote what is wrong and cut it if it is long. `redact` is applied before, as half a secret would not be
 * found.
 */
export function parseToolList(
  entries: readonly unknown[],
  redact: Redactor = createRedactor([]),
  { mirrors = false }: { /** Whether marked arguments are repeated in headers. */ readonly mirrors?: boolean } = {},
): ToolListing {
  const tools = new Map<string, Tool>();
  const quarantined: QuarantinedTool[] = [];
  for (const [index, entry] of entries.entries()) {
    const parsed = parseTool(entry, index, redact, mirrors);
    if ("reason" in parsed) {
      quarantined.push(parsed);
      continue;
    }
    if (tools.delete(parsed.name))
      quarantined.push({ name: parsed.name, reason: "listed more than once; the last definition is used" });
    tools.set(parsed.name, parsed);
  }
  return { tools: [...tools.values()], quarantined };
}

/** Whether anything but the schemas is nested too deeply: schemas are checked separately and allowed fewer levels. */
function nestsBesidesSchemas(entry: JsonObject): boolean {
  for (const key in entry)
    if (key !== "inputSchema" && key !== "outputSchema" && nestsDeeper(entry[key], MAX_ENTRY_DEPTH - 1)) return true;
  return false;
}

function parseTool(entry: unknown, index: number, redact: Redactor, mirrors: boolean): Tool | QuarantinedTool {
  if (!isJsonObject(entry)) return { name: `#${index + 1}`, reason: "the entry is not an object" };
  const { name, title, description, inputSchema = NO_PARAMETERS, outputSchema, annotations } = entry;
  if (typeof name !== "string" || name === "") return { name: `#${index + 1}`, reason: "the tool has no name" };
  if (name.length > MAX_NAME_LENGTH)
    return { name: redact(name).slice(0, 64), reason: `its name is longer than ${MAX_NAME_LENGTH} characters` };
  if (nestsBesidesSchemas(entry)) return { name, reason: `it is nested more than ${MAX_ENTRY_DEPTH} levels deep` };
  if (!isJsonObject(inputSchema) || inputSchema.type !== "object")
    return { name, reason: 'inputSchema must be a JSON Schema of type "object"' };
  const inputProblem = problemOf(inputSchema, redact);
  if (inputProblem !== undefined) return { name, reason: `inputSchema ${inputProblem}` };
  const outputProblem = outputSchema === undefined ? undefined : problemOf(outputSchema, redact);
  if (outputProblem !== undefined) return { name, reason: `outputSchema ${outputProblem}` };
  const refusal = mirrors ? mirrorProblem(inputSchema) : undefined;
  if (refusal !== undefined) return { name, reason: refusal };
  const mirrored = mirrors ? mirroredArguments(inputSchema) : [];
  return {
    name,
    ...(typeof title === "string" && { title }),
    description: typeof description === "string" ? description : "",
    inputSchema,
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
    ...(mirrored.length > 0 && { mirrored }),
    raw: entry,
  };
}

function problemOf(schema: unknown, redact: Redactor): string | undefined {
  const problem = schemaProblem(schema);
  return problem === undefined ? undefined : (schemaProblem(redactJson(redact, schema)) ?? problem);
}

import * as z from "zod/mini";
import { schemaProblem } from "../../catalog/check-schema.ts";
import { IncludeMode, ToolApproval } from "../../domain/approval.ts";
import type { CustomTool } from "../../domain/launch.ts";
import { CUSTOM_SERVER, type ServerDefinition, UNGOVERNED } from "../../domain/server.ts";
import type { ToolEntry } from "../../domain/tool-entry.ts";
import { isJsonObject, type JsonSchema } from "../../json/json.ts";
import { carriesCredentials, unredactedCredentialsOf } from "../../secrets/find-secrets.ts";
import { secretNamesIn } from "../../secrets/secret-reference.ts";
import type { ReadContext } from "../dialects/dialect.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { fillCustomTool } from "../fill-variables.ts";
import { isUsableAddress } from "./check-address.ts";
import { AuthenticationFields, Duration, Flag, Headers, NonEmptyText, oneOf, Text, whole } from "./fields.ts";
import { toLimits } from "./to-definition.ts";
import { refuseRepeats } from "./to-toolbox-settings.ts";
import { warnOfUnredacted } from "./warn-of-unredacted.ts";

/** One entry of `custom_tools`. */
export const CustomToolFields = z.strictObject(
  {
    name: Text.check(z.regex(/^[A-Za-z0-9_-]{1,50}$/, { error: "must have 1 to 50 letters, digits, _ or -" })),
    description: NonEmptyText.check(z.maxLength(500, { error: "must have at most 500 characters" })),
    parameters: z.nullish(z.unknown()),
    endpoint: Text,
    authentication: z.nullish(AuthenticationFields),
    headers: z.nullish(Headers),
    allow_insecure_http: z.nullish(Flag),
    max_instances: z.nullish(whole(1)),
    timeout: z.nullish(Duration),
    approval: z.nullish(oneOf(ToolApproval.options)),
    include: z.nullish(oneOf(IncludeMode.options)),
  },
  { error: "must be a map that describes one tool" },
);
type CustomToolFields = z.infer<typeof CustomToolFields>;

const PATH: Path = ["custom_tools"];
const NO_PARAMETERS: JsonSchema = { type: "object", properties: {} };

/** Returns the virtual server of all custom tools, or no server if there are no such tools. */
export function readCustomTools(written: unknown, { env, report }: ReadContext): ServerDefinition[] {
  if (written === undefined || written === null) return [];
  if (!Array.isArray(written)) {
    report.problem(PATH, "custom_tools must be a list of tools");
    return [];
  }
  const entries = written.flatMap((value: unknown, index) => {
    const path = [...PATH, index];
    const filled = fillCustomTool(
      value,
      path,
      { env, usedBy: `custom tool '${printable(nameOf(value, index))}'` },
      report,
    );
    const fields = checkShape(CustomToolFields, filled, path, report);
    const tool = fields && toCustomTool(fields, path, report);
    return fields === undefined || tool === undefined ? [] : [{ tool, entry: toEntry(fields) }];
  });
  refuseRepeats(
    written.map(nameOf),
    (index) => [...PATH, index, "name"],
    (name) => `Tool '${printable(name)}' is in 'custom_tools' twice; names must be unique`,
    report,
  );
  if (entries.length === 0) return [];
  return [
    {
      ...UNGOVERNED,
      scope: "agent",
      key: CUSTOM_SERVER,
      name: CUSTOM_SERVER,
      launch: { transport: "custom", tools: entries.map(({ tool }) => tool) },
      mode: "strict",
      tools: entries.map(({ entry }) => entry),
    },
  ];
}

function nameOf(value: unknown, index: number): string {
  return isMap(value) && typeof value.name === "string" && value.name !== "" ? value.name : `custom_tools[${index}]`;
}

function toCustomTool(fields: CustomToolFields, path: Path, report: Report): CustomTool | undefined {
  const { name, description, endpoint: url } = fields;
  const inputSchema = toInputSchema(fields, path, report);
  const tool = {
    name,
    description,
    url,
    headers: fields.headers ?? {},
    authentication: fields.authentication ?? ({ type: "none" } as const),
    inputSchema: inputSchema ?? NO_PARAMETERS,
  };
  const address = {
    url,
    owner: `custom tool '${printable(name)}'`,
    example: "https://example.com/weather",
    credentialFields: "'authentication' or 'headers'",
    carriesCredentials: carriesCredentials(tool) || secretNamesIn({ transport: "custom", tools: [tool] }).length > 0,
    plainHttp: fields.allow_insecure_http === true ? "allow" : "ask",
  } as const;
  const usable = isUsableAddress(address, [...path, "endpoint"], report);
  const launch = { transport: "custom", tools: [tool] } as const;
  warnOfUnredacted(unredactedCredentialsOf(launch), { owner: address.owner, path, urlField: "endpoint" }, report);
  return usable && inputSchema !== undefined ? tool : undefined;
}

/** Applies the same checks as to a server's schema, but reports problems here, where people can fix them. */
function toInputSchema({ name, parameters }: CustomToolFields, path: Path, report: Report): JsonSchema | undefined {
  const schema = parameters ?? NO_PARAMETERS;
  if (!isJsonObject(schema) || schema.type !== "object") {
    report.problem(
      [...path, "parameters"],
      `The parameters of custom tool '${name}' must be a JSON Schema with type: object`,
    );
    return undefined;
  }
  const problem = schemaProblem(schema);
  if (problem === undefined) return schema;
  report.problem(
    [...path, "parameters"],
    `The parameters of custom tool '${name}' are not valid JSON Schema: ${problem}`,
  );
  return undefined;
}

function toEntry(fields: CustomToolFields): ToolEntry {
  return {
    name: fields.name,
    server: CUSTOM_SERVER,
    ...toLimits(fields),
    ...(fields.approval ? { approval: fields.approval } : {}),
    ...(fields.include ? { include: fields.include } : {}),
  };
}

/** Reports names elsewhere in the file that conflict with the virtual server. */
export function checkCustomNames(
  tools: unknown,
  serverNames: readonly string[],
  entries: readonly unknown[],
  report: Report,
): void {
  if (!Array.isArray(tools) || tools.length === 0) return;
  if (serverNames.includes(CUSTOM_SERVER)) {
    const text = `No server may be called '${CUSTOM_SERVER}' in a file with 'custom_tools', whose tools belong to a server with that name; rename it`;
    report.problem(["servers", CUSTOM_SERVER], text, "key");
  }
  const names = new Set(tools.map(nameOf));
  for (const [index, entry] of entries.entries()) {
    if (!isMap(entry) || (entry.server ?? entry.mcp) !== CUSTOM_SERVER || !names.has(nameOf(entry, index))) continue;
    const text = `Tool '${printable(nameOf(entry, index))}' has its settings in 'custom_tools'; move these there`;
    report.problem(["toolbox", "tools", index], text);
  }
}

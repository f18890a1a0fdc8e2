import * as z from "zod/mini";
import { IncludeMode } from "../../domain/approval.ts";
import { factsOf, startedIn } from "../../domain/launch.ts";
import { type ServerDefinition, UNGOVERNED } from "../../domain/server.ts";
import { secretNamesIn } from "../../secrets/secret-reference.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { printable } from "../document/path.ts";
import { Report } from "../document/report.ts";
import { Environment, Headers, oneOf, Text, TextList } from "./fields.ts";
import { type FromEntry, toFromEntry } from "./from-entry.ts";
import { refusedVariables } from "./loading-variables.ts";
import { isServerName } from "./to-definition.ts";
import { type LaunchRules, toLaunch } from "./to-launch.ts";
import { IMPLIED_TRANSPORT, isEmpty } from "./written-transports.ts";

export interface AcpContext {
  /** The session's working directory, in which stdio servers start. */
  readonly cwd?: string;
}

export interface FromAcpEntries {
  readonly definitions: readonly ServerDefinition[];
  readonly warnings: readonly string[];
  /** What is wrong with entries that cannot be used. The session goes on without them. */
  readonly problems: readonly string[];
  /** The names of those entries. */
  readonly unusable: readonly string[];
}

const PairList = z.array(
  z.object({ name: Text, value: Text }, { error: "must be an object with 'name' and 'value'" }),
  { error: "must be a list of names and values, or a map" },
);

/** Accepts lists, as the protocol says, and maps, as some editors send them. */
const Pairs = z.pipe(z.transform(toPairList), PairList);

const Include = oneOf(IncludeMode.options);

/** A client's optional setting for when its server's tools are part of a request. */
const Meta = z.object({
  tacklebox: z.optional(
    z.object({
      toolInclude: z.optional(
        z.object({ serverDefault: z.optional(Include), tools: z.optional(z.record(z.string(), Include)) }),
      ),
    }),
  ),
});

/** An entry as ACP defines it. An editor may send more than we use, so other fields are ignored. */
const AcpEntry = z.object(
  {
    type: z.nullish(Text),
    name: Text.check(z.refine(isServerName, { error: "must have 1 to 100 characters and no control characters" })),
    command: z.nullish(Text),
    args: z.nullish(TextList),
    env: z.nullish(Pairs),
    url: z.nullish(Text),
    headers: z.nullish(Pairs),
    _meta: z.nullish(Meta),
  },
  { error: "must be an object that describes one server" },
);
type AcpEntry = z.infer<typeof AcpEntry>;

/** The lists of names and values, converted to records. */
const Records = z.object({ env: Environment, headers: Headers });

const RULES: LaunchRules = {
  notation: "acp",
  advice: "names to write",
  absent: "stdio",
  misplaced: "ignore",
  plainHttp: "warn",
};

const ENTRY = ["entry"];

/** Converts one entry of `mcpServers` in ACP's `session/new` to a session server. */
export function fromAcpEntry(entry: unknown, context: AcpContext = {}): FromEntry {
  const report = new Report();
  const fields = checkShape(AcpEntry, entry, ENTRY, report);
  if (fields === undefined) return toFromEntry(undefined, report);
  return toFromEntry(toSessionDefinition(fields, context, report), report);
}

/** Converts all entries of one session. A missing list is the same as an empty one; a repeated name gets a suffix. */
export function fromAcpEntries(list: unknown, context: AcpContext = {}): FromAcpEntries {
  if (list === undefined || list === null) return { definitions: [], warnings: [], problems: [], unusable: [] };
  if (!Array.isArray(list))
    return { definitions: [], warnings: [], problems: ["mcpServers must be a list of servers"], unusable: [] };
  const definitions: ServerDefinition[] = [];
  const warnings: string[] = [];
  const problems: string[] = [];
  const unusable: string[] = [];
  for (const [index, entry] of list.entries()) {
    const from = fromAcpEntry(entry, context);
    if (from.kind === "invalid") {
      problems.push(...from.problems.map((problem) => `mcpServers[${index}]: ${problem}`));
      unusable.push(nameIn(entry) ?? `mcpServers[${index}]`);
      continue;
    }
    const { name } = from.definition;
    const key = freeKey(name, definitions);
    if (key !== name)
      warnings.push(`MCP server '${printable(name)}' was given twice; the second one is called '${printable(key)}'`);
    warnings.push(...from.warnings);
    definitions.push({ ...from.definition, key });
  }
  return { definitions, warnings, problems, unusable };
}

function nameIn(entry: unknown): string | undefined {
  const name = isMap(entry) ? entry.name : undefined;
  return typeof name === "string" && isServerName(name) ? name : undefined;
}

function toSessionDefinition(fields: AcpEntry, context: AcpContext, report: Report): ServerDefinition | undefined {
  const records = { env: toRecord(fields.env ?? []), headers: joinHeaders(fields.headers ?? []) };
  const { env, headers } = checkShape(Records, records, ENTRY, report) ?? {};
  const { command, args, url } = fields;
  // Some clients omit the type for every transport; a URL without a command is unambiguous.
  const transport = fields.type || (url && !command ? IMPLIED_TRANSPORT.url : undefined);
  const launch = toLaunch(fields.name, { transport, command, args, env, url, headers }, RULES, ENTRY, report);
  if (launch === undefined) return undefined;
  // A server sent by an editor must not get access to the secrets that the user stored here.
  if (secretNamesIn(launch).length > 0) {
    report.problem(
      ENTRY,
      `MCP server '${printable(fields.name)}' names a stored secret (\${secret:…}), which servers of an editor may not use`,
    );
    return undefined;
  }
  const refused = refusedVariables(factsOf(launch).program?.(launch).env ?? {});
  if (refused.length > 0) {
    report.problem(
      ENTRY,
      `MCP server '${printable(fields.name)}' sets ${refused.map(printable).join(", ")}, which decides what code runs and may not come from an editor. Configure this server in Tacklebox's own file instead`,
    );
    return undefined;
  }
  const placed = isEmpty(context.cwd) ? launch : startedIn(launch, context.cwd);
  const definition = { ...UNGOVERNED, scope: "session" as const, key: fields.name, name: fields.name, launch: placed };
  const { serverDefault: include, tools } = fields._meta?.tacklebox?.toolInclude ?? {};
  return {
    ...definition,
    ...(include !== undefined && { include }),
    ...(tools !== undefined && { tools: Object.entries(tools).map(([name, own]) => ({ name, include: own })) }),
  };
}

type Pair = z.infer<typeof PairList>[number];

function toPairList(value: unknown): unknown {
  return isMap(value) ? Object.entries(value).map(([name, member]) => ({ name, value: member })) : value;
}

function toRecord(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** Joins the values of a repeated header, as HTTP does. */
function joinHeaders(pairs: readonly Pair[]): Record<string, string> {
  const joined = new Map<string, Pair>();
  for (const { name, value } of pairs) {
    const key = name.toLowerCase();
    const before = joined.get(key);
    joined.set(key, before === undefined ? { name, value } : { name: before.name, value: `${before.value}, ${value}` });
  }
  return toRecord([...joined.values()]);
}

function freeKey(name: string, taken: readonly ServerDefinition[]): string {
  let key = name;
  for (let count = 2; taken.some((definition) => definition.key === key); count += 1) key = `${name}-${count}`;
  return key;
}

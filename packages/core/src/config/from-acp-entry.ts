import { z } from "zod";
import { secretNamesIn } from "../domain/secret-reference.ts";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import { checkShape } from "./check-shape.ts";
import { Environment, Headers, Text, TextList } from "./fields.ts";
import { type FromEntry, toFromEntry } from "./from-entry.ts";
import { shown } from "./path.ts";
import { Report } from "./report.ts";
import { isServerName } from "./to-definition.ts";
import { type LaunchRules, toLaunch } from "./to-launch.ts";

export interface AcpContext {
  /** The session's working directory; stdio servers start in it. */
  readonly cwd?: string;
}

export interface FromAcpEntries {
  readonly definitions: readonly ServerDefinition[];
  readonly warnings: readonly string[];
  /** Entries that cannot be used. The session goes on without them (S3.16). */
  readonly problems: readonly string[];
}

const Pairs = z.array(z.object({ name: Text, value: Text }, { error: "must be an object with 'name' and 'value'" }), {
  error: "must be a list of names and values",
});

/** S3.2. An editor may send more than we use, so other fields are passed over. */
const AcpEntry = z.object(
  {
    type: Text.nullish(),
    name: Text.refine(isServerName, { error: "must have 1 to 100 characters and no control characters" }),
    command: Text.nullish(),
    args: TextList.nullish(),
    env: Pairs.nullish(),
    url: Text.nullish(),
    headers: Pairs.nullish(),
  },
  { error: "must be an object that describes one server" },
);
type AcpEntry = z.infer<typeof AcpEntry>;

/** What the lists of names and values become. */
const Records = z.object({ env: Environment, headers: Headers });

const RULES: LaunchRules = {
  transports: new Map([
    ["stdio", "stdio"],
    ["http", "http"],
    ["sse", "sse"],
  ]),
  advice: ". Use one of: stdio, http, sse",
  absent: "stdio",
  misplaced: "ignore",
  plainHttp: "warn",
};

const ENTRY = ["entry"];

/** The session server behind one entry of `mcpServers` in ACP's `session/new` (S3.19). */
export function fromAcpEntry(entry: unknown, context: AcpContext = {}): FromEntry {
  const report = new Report();
  const fields = checkShape(AcpEntry, entry, ENTRY, report);
  if (fields === undefined) return toFromEntry(undefined, report);
  return toFromEntry(toSessionDefinition(fields, context, report), report);
}

/** All entries of one session. Nothing at all is the same as an empty list; a repeated name gets a suffix (T3.12). */
export function fromAcpEntries(list: unknown, context: AcpContext = {}): FromAcpEntries {
  if (list === undefined || list === null) return { definitions: [], warnings: [], problems: [] };
  if (!Array.isArray(list))
    return { definitions: [], warnings: [], problems: ["mcpServers must be a list of servers"] };
  const definitions: ServerDefinition[] = [];
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const [index, entry] of list.entries()) {
    const from = fromAcpEntry(entry, context);
    if (from.kind === "invalid") {
      problems.push(...from.problems.map((problem) => `mcpServers[${index}]: ${problem}`));
      continue;
    }
    const { name } = from.definition;
    const key = freeKey(name, definitions);
    if (key !== name)
      warnings.push(`MCP server '${shown(name)}' was given twice; the second one is called '${shown(key)}'`);
    warnings.push(...from.warnings);
    definitions.push({ ...from.definition, key });
  }
  return { definitions, warnings, problems };
}

function toSessionDefinition(fields: AcpEntry, context: AcpContext, report: Report): ServerDefinition | undefined {
  const records = { env: toRecord(fields.env ?? []), headers: joinHeaders(fields.headers ?? []) };
  const { env, headers } = checkShape(Records, records, ENTRY, report) ?? {};
  const { type: transport, command, args, url } = fields;
  const isStdio = !transport || transport === "stdio";
  const cwd = isStdio ? context.cwd : undefined;
  const launch = toLaunch(fields.name, { transport, command, args, env, cwd, url, headers }, RULES, ENTRY, report);
  if (launch === undefined) return undefined;
  // D.21: what an editor sends lives as long as the session and has no claim on what its user stored here.
  if (secretNamesIn(launch).length > 0) {
    report.problem(
      ENTRY,
      `MCP server '${shown(fields.name)}' names a stored secret (\${secret:…}), which servers of an editor may not use`,
    );
    return undefined;
  }
  return { ...UNGOVERNED, scope: "session", key: fields.name, name: fields.name, launch };
}

type Pair = z.infer<typeof Pairs>[number];

function toRecord(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** A repeated header is one header with all its values, as HTTP reads it. */
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

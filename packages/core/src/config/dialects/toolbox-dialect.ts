import * as z from "zod/mini";
import { LOCAL_TOOLS } from "../../catalog/local-tools.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { ToolboxSettings } from "../../domain/tool.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { NameList, NonEmptyText } from "../entries/fields.ts";
import { readCallLog } from "../entries/read-call-log.ts";
import { ToolboxFields, WrittenEntry } from "../entries/server-entry.ts";
import { checkServerName, type DialectRules, toDefinition } from "../entries/to-definition.ts";
import { refuseRepeats, toToolboxSettings } from "../entries/to-toolbox-settings.ts";
import { fillServerEntry, fillVariables } from "../fill-variables.ts";
import type { DialectReader, ReadContext } from "./dialect.ts";
import { warnOfOtherKeys } from "./warn-of-other-keys.ts";

const McpList = z.array(z.unknown(), { error: "must be a list of servers" });
/** The content of `myai.toolbox` (S4.4), extended by our own settings. */
const MyaiToolbox = z.extend(ToolboxFields, { mcps: z.nullish(McpList) });

/** One entry of `mcps`: a remote server, with its name inside the entry. The lists have S4's names too (S4.39). */
const McpEntry = z.strictObject(
  {
    name: NonEmptyText,
    ...z.omit(WrittenEntry, { command: true, args: true, env: true, cwd: true }).shape,
    tool_allowlist: z.nullish(NameList),
    tool_denylist: z.nullish(NameList),
  },
  { error: "must be a map that describes one server" },
);
type McpEntry = z.infer<typeof McpEntry>;

const RULES: DialectRules = {
  launch: {
    notation: "toolbox",
    advice: "names to write",
    absent: "required",
    misplaced: "refuse",
    plainHttp: "warn",
  },
  required: true,
};

const PATH: Path = ["myai", "toolbox"];

export const readToolbox: DialectReader = (root, context) => {
  const { report } = context;
  const myai = isMap(root.myai) ? root.myai : {};
  const { calls, ...others } = root;
  warnOfOtherKeys(others, [], "myai", report);
  warnOfOtherKeys(myai, ["myai"], "toolbox", report);
  const written = myai.toolbox ?? {};
  const { mcps, ...fields } = checkShape(MyaiToolbox, fillToolbox(written, context), PATH, report) ?? {};
  const servers = readMcpList(mcps ?? [], report);
  const names = (mcps ?? []).flatMap((entry) => nameOf(entry) ?? []);
  refuseRepeats(
    (mcps ?? []).map((entry, index) => nameOf(entry) ?? `\0${index}`),
    (index) => [...PATH, "mcps", index, "name"],
    (name) => `MCP server '${printable(name)}' is configured twice in 'mcps'; names must be unique`,
    report,
  );
  const settings = toToolboxSettings({ ...fields, collisions: fields.collisions ?? "hide" }, names, PATH, report);
  const local = fields.local ? settings.local : listedLocals(settings);
  const toolbox = { ...settings, local, keepsNames: false, writtenAs: "myai.toolbox" as const };
  return { servers, toolbox, calls: readCallLog(calls, context) };
};

/** The local tools that `tools` lists, which enables them unless `local` says something else (S4.10). */
function listedLocals({ tools }: ToolboxSettings): readonly string[] {
  const listed = tools.filter(({ server }) => server === undefined || server === "local").map(({ name }) => name);
  return LOCAL_TOOLS.map(({ name }) => name).filter((name) => listed.includes(name));
}

/** Fills in variables. Those of a server are attributed to it, so that messages can say which server lacks one. */
function fillToolbox(toolbox: unknown, { env, report }: ReadContext): unknown {
  if (!isMap(toolbox)) return toolbox;
  const { mcps, ...rest } = toolbox;
  const filled = fillVariables(rest, PATH, { env, usedBy: "the toolbox" }, report);
  if (!isMap(filled) || !("mcps" in toolbox)) return filled;
  if (!Array.isArray(mcps)) return { ...filled, mcps };
  const servers = mcps.map((entry: unknown, index) => {
    const usedBy = `server '${printable(nameOf(entry) ?? `mcps[${index}]`)}'`;
    return fillServerEntry(entry, [...PATH, "mcps", index], { env, usedBy }, report);
  });
  return { ...filled, mcps: servers };
}

function readMcpList(mcps: readonly unknown[], report: Report): ServerDefinition[] {
  return mcps.flatMap((value, index) => {
    const path = [...PATH, "mcps", index];
    const entry = checkShape(McpEntry, value, path, report);
    if (entry === undefined) return [];
    checkServerName(entry.name, [...path, "name"], report);
    checkMode(entry, path, report);
    const { tool_allowlist, tool_denylist, ...written } = entry;
    refuseTwice(entry, "allow", "tool_allowlist", path, report);
    refuseTwice(entry, "deny", "tool_denylist", path, report);
    const lists = { allow: entry.allow ?? tool_allowlist, deny: entry.deny ?? tool_denylist };
    const definition = toDefinition(entry.name, { ...written, ...lists }, RULES, path, report);
    return definition === undefined ? [] : [definition];
  });
}

/** Two lists of one meaning would leave it open which of them counts. */
function refuseTwice(
  entry: McpEntry,
  ours: "allow" | "deny",
  theirs: "tool_allowlist" | "tool_denylist",
  path: Path,
  report: Report,
): void {
  if (!entry[ours] || !entry[theirs]) return;
  const text = `MCP server '${printable(entry.name)}' has both '${ours}' and '${theirs}', which mean the same; keep one`;
  report.problem([...path, theirs], text, "key");
}

/** Checks the whole entry, because the schema cannot require fields depending on others (S4.2, S4.9). */
function checkMode(entry: McpEntry, path: Path, report: Report): void {
  const name = printable(entry.name);
  if (!entry.mode && !report.isBroken([...path, "mode"])) {
    report.problem(
      [...path, "mode"],
      `MCP server '${name}' is missing required field 'mode'. Use 'strict' (every tool must be in myai.toolbox.tools) or 'dynamic' (other tools take default_tool_config)`,
    );
  }
  if (entry.mode === "dynamic" && !entry.default_tool_config && !report.isBroken([...path, "default_tool_config"])) {
    report.problem(
      [...path, "default_tool_config"],
      `MCP server '${name}' is configured with mode='dynamic' but missing required field 'default_tool_config'`,
    );
  }
}

function nameOf(entry: unknown): string | undefined {
  return isMap(entry) && typeof entry.name === "string" && entry.name !== "" ? entry.name : undefined;
}

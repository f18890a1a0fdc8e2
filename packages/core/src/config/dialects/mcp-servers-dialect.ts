import type { ServerDefinition } from "../../domain/server.ts";
import { isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import { DEFAULT_TOOLBOX } from "../entries/to-toolbox-settings.ts";
import { fillServerEntry } from "../fill-variables.ts";
import type { DialectReader, ReadContext } from "./dialect.ts";
import { readServerEntry } from "./read-server-map.ts";
import { readToolboxKey } from "./read-toolbox-key.ts";
import { OTHER_PROGRAMS_RULES, translateEntry } from "./translate-entry.ts";

/** Reads the JSON of other programs. Of their other root keys, only our own `toolbox` is read. */
export const readMcpServers: DialectReader = (root, context) => {
  const key = ["mcpServers", "context_servers"].find((candidate) => candidate in root) ?? "servers";
  const map = root[key] ?? {};
  if (!isMap(map)) {
    context.report.problem([key], `${key} must be a map of server names to entries`);
    return { servers: [], toolbox: DEFAULT_TOOLBOX };
  }
  const servers = Object.entries(map).flatMap(([name, value]) => readEntry(name, value, [key, name], context) ?? []);
  return { servers, toolbox: readToolboxKey(root, Object.keys(map), context).settings };
};

function readEntry(
  name: string,
  value: unknown,
  path: Path,
  { env, report }: ReadContext,
): ServerDefinition | undefined {
  const translation = translateEntry(name, value);
  for (const { key, text } of translation.warnings) report.warn([...path, key], text);
  if (translation.kind === "skipped") return undefined;
  // Findings are about the translated entry, so every path is mapped back to the key in the file.
  const own = report.forPart();
  const filled = fillServerEntry(translation.entry, path, { env, usedBy: `server '${printable(name)}'` }, own);
  const definition = readServerEntry(name, filled, OTHER_PROGRAMS_RULES, path, own);
  const written = (found: Path): Path => {
    const [step, ...rest] = found.slice(path.length);
    const origin = step === undefined ? undefined : translation.origins.get(String(step));
    return origin === undefined ? found : [...path, ...origin, ...rest];
  };
  report.problems.push(...own.problems.map((finding) => ({ ...finding, path: written(finding.path) })));
  report.warnings.push(...own.warnings.map((finding) => ({ ...finding, path: written(finding.path) })));
  return definition;
}

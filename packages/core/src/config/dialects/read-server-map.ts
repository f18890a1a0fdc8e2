import type { ServerDefinition } from "../../domain/server.ts";
import { unredactedCredentialsOf } from "../../secrets/find-secrets.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, pathText, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { WrittenEntry } from "../entries/server-entry.ts";
import { checkServerName, type DialectRules, toDefinition } from "../entries/to-definition.ts";
import { warnOfUnredacted } from "../entries/warn-of-unredacted.ts";
import { fillServerEntry } from "../fill-variables.ts";
import type { ReadContext } from "./dialect.ts";

/**
 * Reads servers from a map of names to entries, in the order of the file. A missing map is the same as an empty one.
 */
export function readServerMap(map: unknown, rules: DialectRules, path: Path, context: ReadContext): ServerDefinition[] {
  if (map === undefined || map === null) return [];
  if (!isMap(map)) {
    context.report.problem(path, `${pathText(path)} must be a map of server names to entries`);
    return [];
  }
  return Object.entries(map).flatMap(([name, value]) => {
    const at = [...path, name];
    const filled = fillServerEntry(
      value,
      at,
      { env: context.env, usedBy: `server '${printable(name)}'` },
      context.report,
    );
    const definition = readServerEntry(name, filled, rules, at, context.report);
    return definition === undefined ? [] : [definition];
  });
}

export function readServerEntry(
  name: string,
  value: unknown,
  rules: DialectRules,
  path: Path,
  report: Report,
): ServerDefinition | undefined {
  checkServerName(name, path, report);
  const entry = checkShape(WrittenEntry, value, path, report);
  const definition = entry && toDefinition(name, entry, rules, path, report);
  if (definition !== undefined)
    warnOfUnredacted(
      unredactedCredentialsOf(definition.launch),
      { owner: `server '${printable(name)}'`, path },
      report,
    );
  return definition;
}

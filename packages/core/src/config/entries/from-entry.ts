import type { ServerDefinition } from "../../domain/server.ts";
import type { Report } from "../document/report.ts";

/** The result of converting one server entry that came from a program rather than a file. */
export type FromEntry =
  | { readonly kind: "ok"; readonly definition: ServerDefinition; readonly warnings: readonly string[] }
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

export function toFromEntry(definition: ServerDefinition | undefined, report: Report): FromEntry {
  if (definition !== undefined && report.problems.length === 0) {
    return { kind: "ok", definition, warnings: report.warnings.map(({ message }) => message) };
  }
  return { kind: "invalid", problems: report.problems.map(({ message }) => message) };
}

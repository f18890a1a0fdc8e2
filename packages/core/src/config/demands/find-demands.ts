import { valueAt } from "../dialects/server-places.ts";
import { translateEntry } from "../dialects/translate-entry.ts";
import { isMap } from "../document/check-shape.ts";
import type { ConfigProblem } from "../document/config-problem.ts";
import { readDocument } from "../document/read-document.ts";
import { Report } from "../document/report.ts";
import { type FoundEntry, findEntries } from "../import/find-entries.ts";
import type { ConfigDemands, Demand } from "./demand.ts";
import { linesOfApproval, linesOfCallLog, linesOfEntry, linesOfGpt } from "./demand-lines.ts";
import { findReferences } from "./find-references.ts";

export type FoundDemands =
  | { readonly kind: "ok"; readonly demands: ConfigDemands }
  | { readonly kind: "invalid"; readonly problems: readonly ConfigProblem[] };

/** More than a person could judge. Aliases can make a small file say this much. */
const LONGEST = 2 * 1024 * 1024;

/**
 * Finds what a config file would do, in any dialect, without doing any of it: nothing is looked up, filled in, started
 * or called. `file` decides the syntax, as in parseConfig. A file with mistakes has demands too, if it can be parsed.
 */
export function findDemands(text: string, file: string): FoundDemands {
  const reading = readDocument(text, file);
  if (reading.kind === "invalid") return reading;
  const root = reading.document.value;
  const references = findReferences(root, LONGEST);
  if (references === undefined) {
    const message = "The aliases in this file make it too long to be shown whole; write fewer.";
    return { kind: "invalid", problems: [{ file, message }] };
  }
  const entries = [
    ...findEntries(root, undefined, new Report()).flatMap(ofServer),
    ...membersOf(root.models).map(([name, value]) => ofEntry("model", name, value)),
    ...listOf(root.custom_tools).map((value) => ofEntry("custom tool", nameOf(value), value)),
    ...membersOf(root.gpts).map(([name, value]) => ({ what: "GPT" as const, name, lines: linesOfGpt(value) })),
    ...[valueAt(root, ["toolbox", "tools"]), valueAt(root, ["myai", "toolbox", "tools"])]
      .flatMap(listOf)
      .map((value) => ({ what: "tool" as const, name: nameOf(value), lines: linesOfApproval(value) })),
    { what: "call log" as const, name: "", lines: linesOfCallLog(root.calls) },
  ];
  return { kind: "ok", demands: { entries: entries.filter(({ lines }) => lines.length > 0), ...references } };
}

function ofServer({ name, value, syntax }: FoundEntry): Demand[] {
  if (syntax === "ours") return [ofEntry("server", name, value)];
  const translation = translateEntry(name, value);
  return translation.kind === "skipped" ? [] : [ofEntry("server", name, translation.entry)];
}

function ofEntry(what: Demand["what"], name: string, entry: unknown): Demand {
  return { what, name, lines: linesOfEntry(name, isMap(entry) ? entry : {}) };
}

function membersOf(map: unknown): readonly (readonly [string, unknown])[] {
  return isMap(map) ? Object.entries(map) : [];
}

function listOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function nameOf(value: unknown): string {
  return isMap(value) && typeof value.name === "string" ? value.name : "";
}

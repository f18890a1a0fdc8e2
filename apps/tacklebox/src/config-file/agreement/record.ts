import type { ConfigDemands, Demand, DemandLabel, DemandLine } from "@tacklebox/core";
import type { FilePlace } from "./file-place.ts";

/** What a person decided about a config file that was found in a folder. */
export type AgreementRecord = Allowed | Denied;

export interface Allowed extends FilePlace {
  readonly decision: "allowed";
  /**
   * Of the bytes that were agreed to. Any other content has to be agreed to again. Two while one of our own commands
   * replaces the file, so that at no moment its content is one that nobody agreed to.
   */
  readonly sha256: readonly string[];
  /** When, in ISO 8601. */
  readonly at: string;
  readonly demands: StoredDemands;
}

/** Holds for any content. */
export interface Denied {
  readonly decision: "denied";
  readonly place: string;
  readonly at: string;
}

/** What the file asked for when it was agreed to, without credentials: what the next version is compared with. */
export interface StoredDemands {
  readonly entries: readonly StoredDemand[];
  /** The only environment variables that the file is given. */
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
}

export interface StoredDemand extends Pick<Demand, "name"> {
  readonly what: string;
  readonly lines: readonly { readonly label: string; readonly text: string }[];
}

export function toStored({ entries, variables, secrets }: ConfigDemands): StoredDemands {
  const stored = entries.map(({ what, name, lines }) => ({ what, name, lines: lines.map(toStoredLine) }));
  return { entries: stored, variables, secrets };
}

function toStoredLine({ label, storable }: DemandLine): { label: DemandLabel; text: string } {
  return { label, text: storable };
}

/** Undefined when the text is not a whole record. */
export function parseRecord(text: string): AgreementRecord | undefined {
  const value = parseJson(text);
  if (!isMap(value) || typeof value.place !== "string" || typeof value.at !== "string") return undefined;
  const { place, at, target } = value;
  if (value.decision === "denied") return { decision: "denied", place, at };
  const demands = parseDemands(value.demands);
  const sha256 = listOf(value.sha256, textOf);
  if (value.decision !== "allowed" || typeof target !== "string") return undefined;
  return demands && sha256 && { decision: "allowed", place, at, target, sha256, demands };
}

function parseDemands(value: unknown): StoredDemands | undefined {
  if (!isMap(value)) return undefined;
  const entries = listOf(value.entries, parseDemand);
  const variables = listOf(value.variables, textOf);
  const secrets = listOf(value.secrets, textOf);
  return entries && variables && secrets && { entries, variables, secrets };
}

function parseDemand(value: unknown): StoredDemand | undefined {
  if (!isMap(value) || typeof value.what !== "string" || typeof value.name !== "string") return undefined;
  const lines = listOf(value.lines, parseLine);
  return lines && { what: value.what, name: value.name, lines };
}

function parseLine(value: unknown): StoredDemand["lines"][number] | undefined {
  if (!isMap(value) || typeof value.label !== "string" || typeof value.text !== "string") return undefined;
  return { label: value.label, text: value.text };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function listOf<T>(value: unknown, parse: (item: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.flatMap((item) => parse(item) ?? []);
  return items.length === value.length ? items : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

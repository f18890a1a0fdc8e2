import type { ConfigDemands, DemandLabel } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import type { StoredDemand, StoredDemands } from "./record.ts";
import { showWhole } from "./show-whole.ts";

type Line = StoredDemand["lines"][number];

const LABEL_WIDTH = 10;
const NOTHING = "It starts no program, calls no address and reads no variable or secret.\n";

/** Shows everything that a config file asks for: every argument on its own line, nothing shortened (T04). */
export function describeDemands(demands: ConfigDemands): string {
  const shown = withElsewhere(demands).map(describeEntry);
  return shown.length === 0 ? NOTHING : shown.join("\n");
}

/** What was added, removed or changed between two versions of a file. Empty when the two ask for the same. */
export function describeDifference(before: StoredDemands, now: StoredDemands): string {
  const [old, fresh] = [linesByTitle(before), linesByTitle(now)];
  const changes = [...new Set([...fresh.keys(), ...old.keys()])].flatMap((title) =>
    pairUp(old.get(title) ?? [], fresh.get(title) ?? []).flatMap(([was, is]) => {
      const labels = [...new Set([...was, ...is].map(({ label }) => label))];
      const lines = labels.flatMap((label) => differing(textsOf(was, label), textsOf(is, label), label));
      return lines.length === 0 ? [] : [`${title}\n${lines.join("")}`];
    }),
  );
  return changes.join("");
}

type Lines = readonly Line[];

/** A file may have several entries of one title, such as a tool of two servers. */
function linesByTitle(demands: StoredDemands): ReadonlyMap<string, readonly Lines[]> {
  const byTitle = new Map<string, Lines[]>();
  for (const entry of withElsewhere(demands)) {
    const title = titleOf(entry);
    const known = byTitle.get(title);
    if (known === undefined) byTitle.set(title, [entry.lines]);
    else known.push(entry.lines);
  }
  return byTitle;
}

/** Leaves out the entries that stayed as they were, wherever they are now, and pairs the others in their order. */
function pairUp(old: readonly Lines[], fresh: readonly Lines[]): readonly (readonly [Lines, Lines])[] {
  const [gone, added] = [without(old, fresh), without(fresh, old)];
  return Array.from({ length: Math.max(gone.length, added.length) }, (_, at) => [gone[at] ?? [], added[at] ?? []]);
}

/** Each of the others takes away one entry that equals it. */
function without(entries: readonly Lines[], others: readonly Lines[]): readonly Lines[] {
  const counts = new Map<string, number>();
  for (const key of others.map((lines) => JSON.stringify(lines))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return entries.filter((lines) => {
    const key = JSON.stringify(lines);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

/** Adds the variables and secrets that are named outside of every entry. */
function withElsewhere({ entries, variables, secrets }: StoredDemands): readonly StoredDemand[] {
  const named = new Set(entries.flatMap(({ lines }) => lines.map(({ label, text }) => `${label} ${text}`)));
  const elsewhere = [
    ...variables.map((text) => ({ label: "reads", text })),
    ...secrets.map((text) => ({ label: "secret", text })),
  ].filter(({ label, text }) => !named.has(`${label} ${text}`));
  return elsewhere.length === 0 ? entries : [...entries, { what: "elsewhere in the file", name: "", lines: elsewhere }];
}

function describeEntry(entry: StoredDemand): string {
  const labels = [...new Set(entry.lines.map(({ label }) => label))];
  const lines = labels.flatMap((label) => withLabel(label, textsOf(entry.lines, label)));
  return `${titleOf(entry)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function differing(old: readonly string[], fresh: readonly string[], label: string): readonly string[] {
  if (JSON.stringify(old) === JSON.stringify(fresh)) return [];
  // A command and instructions are judged as a whole; of a list of names only the changes matter.
  const isWhole = label === "command" || label === "instructs";
  const [were, are] = [new Set(old), new Set(fresh)];
  const gone = isWhole ? old : old.filter((text) => !are.has(text));
  const added = isWhole ? fresh : fresh.filter((text) => !were.has(text));
  return [
    ...withLabel(label, gone).map((line) => `  - ${line}\n`),
    ...withLabel(label, added).map((line) => `  + ${line}\n`),
  ];
}

function withLabel(label: string, texts: readonly string[]): readonly string[] {
  return texts.map((text, index) => `${(index === 0 ? label : "").padEnd(LABEL_WIDTH)}${describeText(label, text)}`);
}

const OWNER: Readonly<Partial<Record<DemandLabel, string>>> = {
  reads: " of your environment",
  secret: " of your vault",
};

function describeText(label: string, text: string): string {
  const owner = Object.entries(OWNER).find(([name]) => name === label)?.[1] ?? "";
  return `${showWhole(text)}${owner}`;
}

function titleOf({ what, name }: StoredDemand): string {
  return printableLine(name === "" ? what : `${what} ${showWhole(name)}`);
}

function textsOf(lines: readonly Line[], label: string): readonly string[] {
  return lines.filter((line) => line.label === label).map(({ text }) => text);
}

import { hash } from "node:crypto";
import { toKey } from "../parameters.ts";

/**
 * A link of the chain over the call log: what one transaction did to ended calls. Its hash covers the hash before it,
 * so nothing in the middle can be changed without changing every hash from there to the last.
 */
export interface Link {
  readonly seq: number;
  /** SHA-256 in hex. */
  readonly hash: string;
  /** When it was written. ISO 8601. */
  readonly at: string;
  /** One entry a line. */
  readonly entries: string;
}

export type Entry =
  /** `ended`: a call ended. `late`: it was answered after its end. `before`: it had ended before the chain began. */
  | { readonly kind: "ended" | "late" | "before"; readonly id: string; readonly digest: string }
  /** A call was removed by the rules of the config. */
  | { readonly kind: "removed"; readonly id: string }
  /** Links up to this one, all of whose calls were removed, were folded into one. */
  | ({ readonly kind: "folded" } & Folded)
  /** The file was repaired, and a new chain begun. */
  | ({ readonly kind: "repaired" } & Repaired);

export interface Folded {
  readonly seq: number;
  readonly hash: string;
  /** Calls that ended in those links, and removals among them; further links hold the other removals. */
  readonly calls: number;
  readonly removals: number;
}

export interface Repaired {
  readonly kept: number;
  /** Calls that are known to be lost. */
  readonly lost: number;
  /** Calls that were kept although they were not as the chain in the damaged file says. */
  readonly changed: number;
  /** When, if that is not when the link was written: after a folding, a further link says it again. */
  readonly at?: string;
  /** The last hash of the chain in the damaged file, if it could be read. */
  readonly head: string | null;
}

/** Precedes the first link. */
export const NO_HASH = "0".repeat(64);

/** The entries of the link that stands for folded ones; its hash is that of the last of them. */
const FOLDED_LINKS = "folded ";

const LETTERS = { ended: "e", late: "l", before: "b" } as const;
const KINDS = { e: "ended", l: "late", b: "before" } as const;

export function toCallEntry(kind: keyof typeof LETTERS, id: string, digest: string): string {
  return `${LETTERS[kind]} ${digest} ${isPlain(id) ? id : toKey(id)}`;
}

export function toRemoval(id: string): string {
  return `r ${toKey(id)}`;
}

/** Ids of ours are, and a test is much cheaper than an escape. */
function isPlain(id: string): boolean {
  return /^[\w-]+$/.test(id);
}

export function toFoldedEntry(folded: Folded): string {
  return `f ${JSON.stringify(folded)}`;
}

export function toRepairedEntry(repaired: Repaired): string {
  return `m ${JSON.stringify(repaired)}`;
}

export function toFoldedLinks(folded: Folded): string {
  return FOLDED_LINKS + JSON.stringify(folded);
}

export function hashLink(previous: string, { seq, at, entries }: Omit<Link, "hash">): string {
  return hash("sha256", `${previous}\n${seq}\n${at}\n${entries}`, "hex");
}

/** What the link stands for if it stands for folded ones. */
export function parseFoldedLinks({ entries }: Link): Folded | undefined {
  return entries.startsWith(FOLDED_LINKS) ? parseFolded(entries.slice(FOLDED_LINKS.length)) : undefined;
}

/** An entry that cannot be read is undefined. */
export function* parseEntries({ entries }: Link): Generator<Entry | undefined> {
  if (entries === "") return;
  for (const line of entries.split("\n")) yield parseEntry(line);
}

function parseEntry(line: string): Entry | undefined {
  const [letter, rest] = [line.slice(0, 2), line.slice(2)];
  if (letter === "r ") {
    const id = fromKey(rest);
    return id === undefined ? undefined : { kind: "removed", id };
  }
  if (letter === "f ") {
    const folded = parseFolded(rest);
    return folded === undefined ? undefined : { kind: "folded", ...folded };
  }
  if (letter === "m ") return parseRepaired(rest);
  const kind = letter === "e " ? KINDS.e : letter === "l " ? KINDS.l : letter === "b " ? KINDS.b : undefined;
  const space = rest.indexOf(" ");
  const id = fromKey(rest.slice(space + 1));
  if (kind === undefined || space < 0 || id === undefined) return undefined;
  return { kind, digest: rest.slice(0, space), id };
}

function parseFolded(text: string): Folded | undefined {
  const { seq, hash: last, calls, removals } = parseObject(text);
  if (typeof seq !== "number" || typeof last !== "string") return undefined;
  if (typeof calls !== "number" || typeof removals !== "number") return undefined;
  return { seq, hash: last, calls, removals };
}

function parseRepaired(text: string): Entry | undefined {
  const { kept, lost, changed, at, head } = parseObject(text);
  if (typeof kept !== "number" || typeof lost !== "number" || typeof changed !== "number") return undefined;
  const repaired = { kind: "repaired", kept, lost, changed, head: typeof head === "string" ? head : null } as const;
  return typeof at === "string" ? { ...repaired, at } : repaired;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The reverse of toKey. */
function fromKey(key: string): string | undefined {
  if (!key.includes("\\")) return key;
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return undefined;
  }
}

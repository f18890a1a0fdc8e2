import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

export interface PlainValue {
  readonly value: unknown;
  /** The node each alias refers to. */
  readonly targets: ReadonlyMap<unknown, Anchored>;
  readonly problems: readonly ValueProblem[];
}

interface ValueProblem {
  readonly message: string;
  readonly offset: number;
}

type Anchored = Scalar | YAMLMap | YAMLSeq;

/** Limits how many values aliases may expand to: a few nested aliases can stand for billions of values. */
const MAX_ALIASED_VALUES = 10_000;

/** Converts the document to maps, lists and scalars, with aliases expanded and every key unique. */
export function toPlainValue(parsed: Document.Parsed): PlainValue {
  const problems: ValueProblem[] = [];
  const anchors = new Map<string, Anchored>();
  const targets = new Map<unknown, Anchored>();
  const aliasesAbove = new Set<unknown>();
  let aliasedValues = 0;
  let outermost: Alias | undefined;
  let gaveUp = false;

  function convert(node: unknown): unknown {
    if (gaveUp) return null;
    if (aliasesAbove.size > 0) aliasedValues += 1;
    if (isAlias(node)) return convertAlias(node);
    remember(node);
    if (isMap(node)) return convertMap(node.items, offsetOf(node));
    if (isSeq(node)) return node.items.map(convert);
    if (!isScalar(node)) return null;
    const { value } = node;
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
    problems.push({ message: "This kind of value is not supported; put it in quotes.", offset: offsetOf(node) });
    return null;
  }

  // An anchor may be redefined further down, so anchors are only recorded in document order, not inside aliases.
  function remember(node: unknown): void {
    if (aliasesAbove.size > 0 || !(isScalar(node) || isMap(node) || isSeq(node))) return;
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
  }

  function convertAlias(alias: Alias): unknown {
    const target = targets.get(alias) ?? anchors.get(alias.source);
    if (target === undefined)
      return refuse(alias, `The alias *${alias.source} has no anchor (&${alias.source}) before it.`);
    if (aliasesAbove.has(target) || isInside(alias, target)) {
      return refuse(alias, `The alias *${alias.source} refers to a value that it is itself part of.`);
    }
    targets.set(alias, target);
    if (aliasesAbove.size === 0) outermost = alias;
    aliasesAbove.add(target);
    const value = convert(target);
    aliasesAbove.delete(target);
    if (aliasedValues > MAX_ALIASED_VALUES && !gaveUp) {
      gaveUp = true;
      // Report the alias in the text that exceeded the limit, not the innermost one it expands to.
      return refuse(
        outermost ?? alias,
        `The aliases in this file stand for more than ${MAX_ALIASED_VALUES} values; write fewer.`,
      );
    }
    return value;
  }

  function convertMap(pairs: readonly Pair<unknown, unknown>[], mapOffset: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const pair of pairs) {
      const offset = isNode(pair.key) ? offsetOf(pair.key) : mapOffset;
      remember(pair.key);
      const key = keyText(pair.key);
      if (key === undefined) {
        problems.push({ message: "This cannot be a key; a key must be plain text.", offset });
        continue;
      }
      if (entries.has(key)) {
        problems.push({ message: `The key '${key}' is written twice in one map; remove one of them.`, offset });
        continue;
      }
      entries.set(key, convert(pair.value));
    }
    return Object.fromEntries(entries);
  }

  function refuse(alias: Alias, message: string): null {
    problems.push({ message, offset: offsetOf(alias) });
    return null;
  }

  const value = convert(parsed.contents);
  return { value, targets, problems: problems.sort((a, b) => a.offset - b.offset) };
}

// Assigning `__proto__` changes an object's prototype instead of adding a member.
function keyText(key: unknown): string | undefined {
  if (!isScalar(key) || key.value === "__proto__") return undefined;
  const { value } = key;
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function isInside(alias: Alias, target: { range?: readonly number[] | null | undefined }): boolean {
  const at = offsetOf(alias);
  const [start, end] = target.range ?? [];
  return start !== undefined && end !== undefined && at >= start && at < end;
}

function offsetOf(node: { range?: readonly number[] | null | undefined }): number {
  return node.range?.[0] ?? 0;
}

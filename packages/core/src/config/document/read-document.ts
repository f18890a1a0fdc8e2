import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { blankComments } from "./blank-comments.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { findExcessNesting } from "./find-excess-nesting.ts";
import { pathText } from "./path.ts";
import type { Finding } from "./report.ts";
import { syntaxProblem } from "./syntax-problems.ts";
import { toPlainValue } from "./to-plain-value.ts";

/** A file that could be parsed: its value, and a way to locate findings in it. */
export interface SourceDocument {
  readonly value: Readonly<Record<string, unknown>>;
  toProblems(findings: readonly Finding[]): readonly ConfigProblem[];
}

export type DocumentReading =
  | { readonly kind: "ok"; readonly document: SourceDocument }
  | { readonly kind: "invalid"; readonly problems: readonly ConfigProblem[] };

const LARGEST_TEXT = 1024 * 1024;

/** Reads YAML or JSON. Never throws, whatever the text. */
export function readDocument(text: string, file: string): DocumentReading {
  // There are never more characters than bytes, so a text with too many characters need not be encoded.
  const bytes = text.length > LARGEST_TEXT ? text.length : new TextEncoder().encode(text).length;
  if (bytes > LARGEST_TEXT) {
    return invalid([{ file, message: `${file} is ${megabytes(bytes)}; a config file may be at most 1 MB` }]);
  }
  const source = /\.jsonc?$/i.test(file) ? blankComments(text) : text;
  const lines = new LineCounter();
  const excess = findExcessNesting(source);
  if (excess !== undefined) {
    countLines(source, lines);
    return invalid([{ file, message: syntaxProblem("RESOURCE_EXHAUSTION"), ...position(lines, excess) }]);
  }
  // The library looks for repeated keys in quadratic time; toPlainValue does it in linear time.
  const parsed = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    resolveKnownTags: false,
  });
  const faults = [...parsed.errors, ...parsed.warnings].map(({ code, pos }) => ({
    file,
    message: syntaxProblem(code),
    ...position(lines, pos[0]),
  }));
  if (faults.length > 0) return invalid(firstPerLine(faults).slice(0, MAX_SYNTAX_PROBLEMS));
  return readRoot(parsed, lines, file);
}

/** Keeps the first problem of each line: the others mostly follow from it. */
function firstPerLine<Problem extends { readonly line: number }>(problems: readonly Problem[]): Problem[] {
  const seen = new Set<number>();
  return problems.filter(({ line }) => !seen.has(line) && seen.add(line));
}

/** One missing bracket can cause hundreds of errors; the first few are enough. */
const MAX_SYNTAX_PROBLEMS = 5;

function readRoot(parsed: Document.Parsed, lines: LineCounter, file: string): DocumentReading {
  const root = parsed.contents;
  if (root === null || (isScalar(root) && root.value === null)) {
    return invalid([{ file, message: `The file is empty. ${EXPECTED_ROOT}`, line: 1, column: 1 }]);
  }
  if (!isMap(root)) return invalid([{ file, message: EXPECTED_ROOT, ...position(lines, root.range[0]) }]);
  const { value, targets, problems } = toPlainValue(parsed);
  if (problems.length > 0 || typeof value !== "object" || value === null) {
    return invalid(problems.map(({ message, offset }) => ({ file, message, ...position(lines, offset) })));
  }
  const toProblem = (finding: Finding): ConfigProblem => {
    const offset = locate(root, targets, finding);
    return { file, message: finding.message, path: pathText(finding.path), ...position(lines, offset) };
  };
  return {
    kind: "ok",
    document: {
      value: { ...value },
      toProblems: (findings) => findings.map(toProblem).sort(byPosition),
    },
  };
}

const EXPECTED_ROOT = "A config file must be a map with a key such as 'servers', 'mcpServers', 'tools' or 'myai'.";

/** Returns the offset of the value at the path, or of the deepest part of the path that exists. */
function locate(root: YAMLMap, targets: ReadonlyMap<unknown, unknown>, { path, at }: Finding): number {
  let node: unknown = root;
  let offset = startOf(root) ?? 0;
  for (const [depth, step] of path.entries()) {
    const holder = targets.get(node) ?? node;
    const isLast = depth === path.length - 1;
    const found = isMap(holder)
      ? holder.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(step))
      : undefined;
    const key: unknown = found?.key;
    const value: unknown = isSeq(holder) && typeof step === "number" ? holder.items[step] : found?.value;
    if (key === undefined && value === undefined) return offset;
    const start = startOf(isLast && at === "key" && key !== undefined ? key : value) ?? startOf(key);
    offset = start ?? offset;
    node = value;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  const known = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
  return known ? node.range?.[0] : undefined;
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function countLines(text: string, lines: LineCounter): void {
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
}

function byPosition(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function megabytes(bytes: number): string {
  // Rounded up, so that a file just over the limit is not reported as "1.0 MB".
  return `${(Math.ceil((bytes / LARGEST_TEXT) * 10) / 10).toFixed(1)} MB`;
}

function invalid(problems: readonly ConfigProblem[]): DocumentReading {
  return { kind: "invalid", problems };
}

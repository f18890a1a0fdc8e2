import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, it } from "vitest";
import { INTERNAL_WORDS, PHRASES, type Phrase } from "./plain-english-phrases.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface File {
  /** Relative to the repository, with forward slashes. */
  readonly name: string;
  readonly text: string;
}

/** Part of a text, and where it is in the file. */
interface Piece {
  readonly start: number;
  readonly text: string;
}

/** Pages for people who change Tacklebox, and for whom GLOSSARY.md defines the internal words. */
const FOR_CONTRIBUTORS = /^(CONTRIBUTING|ARCHITECTURE|GLOSSARY|docs\/requirements)\.md$|^docs\/decisions\//;

const pages = [
  ...["README.md", "CHANGELOG.md", "SECURITY-MODEL.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "GLOSSARY.md"],
  ...(await filesIn("docs", /\.md$/)),
  ...(await filesIn("examples", /./)),
];
const sources = [
  ...(await filesIn("apps", /^apps\/[^/]+\/src\/.*\.ts$/)),
  ...(await filesIn("packages", /^packages\/[^/]+\/src\/.*\.ts$/)),
  ...(await filesIn("scripts", /\.mjs$/)),
].filter((name) => !/\.test\.ts$|\/(testing|contracts)\//.test(name));

async function filesIn(folder: string, wanted: RegExp): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((name) => wanted.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .sort();
}

async function read(name: string): Promise<File> {
  return { name, text: await readFile(join(root, name), "utf8") };
}

/** Replaces code and the targets of links by as many spaces. */
function proseOf(text: string): string {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/^```[\s\S]*?^```$/gm, blank).replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, blank);
}

/** The texts in a source, with those put together by `+` as one text. Comments are not among them. */
function textsOf({ name, text }: File): readonly (readonly Piece[])[] {
  const { program, errors } = parseSync(name, text);
  expect(errors, name).toEqual([]);
  const found: { readonly start: number; readonly end: number }[] = [];
  new Visitor({
    Literal: ({ value, start, end }) => void (typeof value === "string" && found.push({ start, end })),
    TemplateElement: ({ start, end }) => void found.push({ start, end }),
  }).visit(program);
  const texts: Piece[][] = [];
  let last: { readonly end: number } | undefined;
  for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
    const piece = { start, text: text.slice(start, end).replaceAll(/^["'`}]|["'`]$/g, " ") };
    const isContinued = last !== undefined && /^[`\s]*\+[`\s]*$/.test(text.slice(last.end, start));
    if (isContinued) texts.at(-1)?.push(piece);
    else texts.push([piece]);
    last = { end };
  }
  return texts;
}

/** Names every phrase in a text as `file:line "phrase": what to write instead`. */
function complaints({ name, text }: File, pieces: readonly Piece[], phrases: readonly Phrase[]): readonly string[] {
  const whole = pieces.map((piece) => piece.text).join("");
  return phrases.flatMap(({ pattern, better }) =>
    [...whole.matchAll(toRegExp(pattern))].map(({ 0: found, index }) => {
      const line = text.slice(0, placeOf(pieces, index)).split("\n").length;
      return `${name}:${line} "${found.replaceAll(/(\s|\\n)+/g, " ")}": ${better}`;
    }),
  );
}

/** A phrase may be broken into lines, in a page and in a text of the program. */
function toRegExp(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll(" ", String.raw`(?:\s|\\n)+`), "gi");
}

function placeOf(pieces: readonly Piece[], index: number): number {
  let before = 0;
  for (const { start, text } of pieces) {
    if (index < before + text.length) return start + index - before;
    before += text.length;
  }
  return 0;
}

function complaintsAboutPage(file: File): readonly string[] {
  const whole = complaints(file, [{ start: 0, text: file.text }], PHRASES);
  if (FOR_CONTRIBUTORS.test(file.name)) return whole;
  return [...whole, ...complaints(file, [{ start: 0, text: proseOf(file.text) }], INTERNAL_WORDS)];
}

function complaintsAboutSource(file: File): readonly string[] {
  return textsOf(file).flatMap((pieces) => {
    const isProse = pieces.some(({ text }) => /\S\s+\S/.test(text));
    if (!isProse) return [];
    const prose = pieces.map(({ start, text }) => ({ start, text: proseOf(text) }));
    return [...complaints(file, pieces, PHRASES), ...complaints(file, prose, INTERNAL_WORDS)];
  });
}

describe("what people read", () => {
  it.each(pages)("is plain English in %s", async (name) => {
    expect(complaintsAboutPage(await read(name))).toEqual([]);
  });

  it("is plain English in every text of the program and its scripts", async () => {
    expect(sources.length).toBeGreaterThan(500);
    const files = await Promise.all(sources.map(read));
    expect(files.flatMap(complaintsAboutSource)).toEqual([]);
  });
});

describe("the phrases to avoid", () => {
  it.each([...PHRASES, ...INTERNAL_WORDS])("has $written, and not what to write instead", (phrase) => {
    expect(phrase.written).toMatch(toRegExp(phrase.pattern));
    expect(phrase.better).not.toMatch(toRegExp(phrase.pattern));
  });

  it("are found with their lines in pages, also across a line break", () => {
    const text = "# Title\n\nIt works the prompt\nto its end.\n\nWrite `pin: block`, or `door`.\n\nA pinned tool.\n";
    expect(complaintsAboutPage({ name: "docs/a.md", text })).toEqual([
      expect.stringMatching(/^docs\/a\.md:3 "works the prompt to its end": /),
      expect.stringMatching(/^docs\/a\.md:8 "pinned": /),
    ]);
  });

  it("are found with their lines in texts of the program, and not in comments", () => {
    const text = [
      "// Leave it away, says the door.",
      'const kind = "door";',
      'const config = "Write pin: block or `pin`.";',
      'const help = "Leave it " +',
      "  `away. The door of ${kind} decides.`;",
    ].join("\n");
    expect(complaintsAboutSource({ name: "a.ts", text })).toEqual([
      expect.stringMatching(/^a\.ts:4 "Leave it away": /),
      expect.stringMatching(/^a\.ts:5 "door": /),
    ]);
  });
});

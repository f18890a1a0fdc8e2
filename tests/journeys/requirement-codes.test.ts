import { readdir, readFile } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

const CODE = /\b(?:[SCT]\d\.\d+|D\.\d+|F-\d+|F\d\d?|T\d\d)\b/g;
const PAGE_NAME = /\b[\w-]+\.md\b/g;

interface File {
  /** Relative to the repository, with forward slashes. */
  readonly name: string;
  readonly text: string;
}

interface Piece {
  readonly start: number;
  readonly text: string;
}

const sources = await readFiles(
  ["packages", "apps", "tests", "scripts", "bench"],
  (name) => /\.(ts|tsx|js|mjs)$/.test(name) && (/^(tests|scripts|bench)\//.test(name) || name.includes("/src/")),
);
const pages = [
  ...(await readFiles(["."], (name) => /^[^/]+\.md$/.test(name), false)),
  ...(await readFiles(["docs", "bench", "examples"], (name) => name.endsWith(".md"))),
];
const defined = new Set(["docs/requirements.md", "SECURITY-MODEL.md"].flatMap((name) => definitions(page(name))));

async function readFiles(
  folders: readonly string[],
  wanted: (name: string) => boolean,
  recursive = true,
): Promise<readonly File[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
    }),
  );
  const names = found.flat().filter((name) => wanted(name) && !/(^|\/)(node_modules|dist)\//.test(name));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(root, name), "utf8") })));
}

function page(name: string): string {
  return pages.find((file) => file.name === name)?.text ?? "";
}

/** A code is defined by a row of a table that begins with it. */
function definitions(text: string): readonly string[] {
  return [...text.matchAll(/^\| (\S+) \|/gm)].map(([, code = ""]) => code).filter((code) => code.match(CODE));
}

function commentsOf({ name, text }: File): readonly Piece[] {
  const { comments, errors } = parseSync(name, text);
  expect(errors, name).toEqual([]);
  return comments.map(({ start, end }) => ({ start, text: text.slice(start, end) }));
}

/** Names of tests also stand in tables and as keys of objects, so every text in a file of tests counts as one. */
function testNamesOf({ name, text }: File): readonly Piece[] {
  if (!/\.test\.tsx?$|\/contracts\//.test(name)) return [];
  const pieces: Piece[] = [];
  const keep = ({ start, end }: { readonly start: number; readonly end: number }) =>
    pieces.push({ start, text: text.slice(start, end) });
  new Visitor({
    Literal: (node) => void (typeof node.value === "string" && keep(node)),
    TemplateElement: keep,
  }).visit(parseSync(name, text).program);
  return pieces;
}

function citationsIn({ name, text }: File, pieces: readonly Piece[], cited: RegExp) {
  return pieces.flatMap((piece) =>
    [...piece.text.matchAll(cited)].map(({ 0: what, index }) => {
      const line = text.slice(0, piece.start + index).split("\n").length;
      return { what, place: `${name}:${line}` };
    }),
  );
}

/** Where a source cites a code that is not among `known`, as `file:line code`. */
function undefinedCodes(file: File, known: ReadonlySet<string>): readonly string[] {
  const pieces = file.name.endsWith(".md")
    ? [{ start: 0, text: file.text }]
    : [...commentsOf(file), ...testNamesOf(file)];
  return citationsIn(file, pieces, CODE)
    .filter(({ what }) => !known.has(what))
    .map(({ what, place }) => `${place} ${what}`);
}

describe("the codes of requirements", () => {
  it("are defined once each", () => {
    const codes = definitions(page("docs/requirements.md"));
    expect(codes.length).toBeGreaterThan(140);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  it("have a definition wherever a comment or the name of a test cites one", () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap((file) => undefinedCodes(file, defined))).toEqual([]);
  });

  it("have a definition wherever a page cites one", () => {
    expect(pages.flatMap((file) => undefinedCodes(file, defined))).toEqual([]);
  });

  it("cover every rule of the four documents, without gaps", () => {
    const all = [56, 15, 28, 41].flatMap((count, index) =>
      Array.from({ length: count }, (_, rule) => `S${index + 1}.${rule + 1}`),
    );
    expect(all.filter((code) => !defined.has(code))).toEqual([]);
  });
});

describe("a code that nobody defined", () => {
  // Put together here, because this file is searched as well.
  const [known, unknown, threat] = [["S1", "1"].join("."), ["S9", "1"].join("."), ["T", "99"].join("")] as const;
  const text = [
    `// ${known} and ${unknown}`,
    `const pattern = /\\/\\/ ${unknown}/; // a comment at last: ${threat}`,
    "/**",
    ` * ${unknown} in a block`,
    " */",
    `it("${unknown} in a name", () => \`no // \${pattern /* ${threat} */} comment\`);`,
    `it.each([["a row (${threat})"]])("%s", () => {});`,
  ].join("\n");

  it("is told with its place in comments and names of tests", () => {
    expect([...undefinedCodes({ name: "a.test.ts", text }, new Set([known]))].sort()).toEqual([
      `a.test.ts:1 ${unknown}`,
      `a.test.ts:2 ${threat}`,
      `a.test.ts:4 ${unknown}`,
      `a.test.ts:6 ${unknown}`,
      `a.test.ts:6 ${threat}`,
      `a.test.ts:7 ${threat}`,
    ]);
  });

  it("may stand in what is not a comment where there are no tests", () => {
    const places = undefinedCodes({ name: "a.ts", text }, new Set([known])).map((place) => place.split(" ")[0]);
    expect(places).toEqual(["a.ts:1", "a.ts:2", "a.ts:4", "a.ts:6"]);
  });

  it("is told in pages", () => {
    expect(undefinedCodes({ name: "a.md", text: `One.\n\nTwo (${unknown}).` }, defined)).toEqual([`a.md:3 ${unknown}`]);
  });
});

describe("comments", () => {
  it("name no page that is not in this repository", () => {
    const names = new Set(pages.map(({ name }) => basename(name)));
    const cited = sources.flatMap((file) => citationsIn(file, commentsOf(file), PAGE_NAME));
    expect(cited.filter(({ what }) => !names.has(what))).toEqual([]);
  });
});

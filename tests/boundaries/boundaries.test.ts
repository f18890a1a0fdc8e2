import { cp, mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBadTree, readClaims, removeTree, root } from "./bad-tree.ts";
import { checkTypes, type Finding, lintWithBiome, lintWithOxlint, searchBoundaries } from "./lint.ts";
import { isInZone, readImportZones } from "./zones.ts";

const claims = await readClaims();
const placed = [...claims].filter(([file]) => file.includes("/src/") || file.startsWith("tests/"));
const typeClaims = await readClaims("types");

describe("S2.2 a file that breaks an import rule is refused by exactly that rule", () => {
  let tree: string;
  let findings: readonly Finding[];

  beforeAll(async () => {
    tree = await createBadTree();
    await mkdir(join(tree, "packages/core/src/text"), { recursive: true });
    await writeFile(join(tree, "packages/core/src/runs/long-function.ts"), longFunction(102));
    await writeFile(join(tree, "packages/core/src/runs/long.ts"), "export {};\n".repeat(401));
    for (let file = 0; file < 26; file += 1)
      await writeFile(join(tree, `packages/core/src/text/part-${file}.ts`), "export {};\n");
    findings = [...(await lintWithBiome(tree)), ...(await searchBoundaries(tree))];
  });
  afterAll(() => removeTree(tree));

  it.each(placed)("%s", (file, expected) => {
    expect(rulesBroken(findings, file)).toEqual(expected);
  });

  it("refuses a file of more than 400 lines", () => {
    expect(rulesBroken(findings, "packages/core/src/runs/long.ts")).toContain("style/noExcessiveLinesPerFile");
  });

  it("refuses a function of more than 100 lines", () => {
    const broken = rulesBroken(findings, "packages/core/src/runs/long-function.ts");
    expect(broken).toContain("complexity/noExcessiveLinesPerFunction");
  });

  it("refuses a folder of more than 25 files", () => {
    expect(rulesBroken(findings, "packages/core/src/text")).toEqual(["boundaries/crowded-folder"]);
  });

  it("refuses a promise nobody waits for", async () => {
    await cp(join(root, "tsconfig.base.json"), join(tree, "tsconfig.json"));
    const found = await lintWithOxlint(tree, "forgets-a-promise.ts");
    expect(rulesBroken(found, "forgets-a-promise.ts")).toEqual(claims.get("forgets-a-promise.ts"));
  });
});

describe("the overrides that restrict imports", () => {
  it("never overlap, because a later one would silently replace an earlier one", async () => {
    const zones = await readImportZones();
    const files = [...(await sourceFiles()), ...placed.map(([file]) => file)];
    const counted = files.map((file) => [file, zones.filter((globs) => isInZone(file, globs)).length] as const);
    expect(counted.filter(([, count]) => count !== 1)).toEqual([]);
  });
});

describe.each(["packages/core", "packages/mcp", "packages/models"])("the types of %s", (workspace) => {
  let folder: string;
  let findings: readonly Finding[];

  // Inside the repository, where the Node types could be found if the settings let them in.
  beforeAll(async () => {
    await mkdir(join(root, "tests/dist"), { recursive: true });
    folder = await mkdtemp(join(root, "tests/dist/boundaries-"));
    await cp(join(root, "tests/boundaries/bad/types"), folder, { recursive: true });
    const options = { rootDir: ".", outDir: "out", tsBuildInfoFile: "out/info", composite: false, noEmit: true };
    const project = {
      extends: join(root, workspace, "tsconfig.json"),
      compilerOptions: options,
      include: ["*.ts"],
      references: [],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
    findings = await checkTypes(join(folder, "tsconfig.json"), folder);
  });
  afterAll(() => removeTree(folder));

  it.each([...typeClaims])("judge %s", (file, expected) => {
    expect(rulesBroken(findings, file)).toEqual(expected);
  });
});

function longFunction(lines: number): string {
  return `export function long(list: number[]): void {\n${"  list.push(1);\n".repeat(lines)}}\n`;
}

function rulesBroken(findings: readonly Finding[], file: string): readonly string[] {
  const rules = findings.filter((finding) => finding.file === file).map(({ rule }) => rule);
  return [...new Set(rules)].sort();
}

/** Only below the sources: other tests make and remove folders beside them meanwhile. */
async function sourceFiles(): Promise<readonly string[]> {
  const workspaces = await Promise.all(
    ["packages", "apps"].map(async (group) =>
      (await readdir(join(root, group))).map((name) => join(root, group, name)),
    ),
  );
  const files = await Promise.all(workspaces.flat().map((workspace) => filesBelow(join(workspace, "src"))));
  return files.flat().filter((file) => /\.tsx?$/.test(file));
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.map((name) => relative(root, join(folder, name)).split(sep).join("/"));
}

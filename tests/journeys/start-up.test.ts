import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runProgram } from "../support/program.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packages that take longer to load than most commands take to run. */
const SLOW_PACKAGES = ["@clack", "@modelcontextprotocol", "kysely", "prom-client", "re2js"];

/** Modules of our packages that help needs: this one only lists names of transports and imports nothing. */
const LISTED = ["packages/core/src/config/entries/written-transports.ts"];

/** Those that an editor's messages are read with, before the engine is loaded. */
const READS_JSON = ["inexact-numbers", "text-nesting", "text-scan"].map((name) => `packages/core/src/json/${name}.ts`);

describe("a command loads", () => {
  it("neither the engine nor a package but the command line's for help", async () => {
    const { packages, ownFiles } = await loadedBy(["--help"]);
    expect(packages).toEqual(["commander"]);
    expect(ownFiles).toContain("apps/tacklebox/src/program.ts");
    expect(ownFiles.filter((file) => file.startsWith("packages/"))).toEqual(LISTED);
  });

  it("the engine and no slow package for tools while there are no servers", async () => {
    const { packages, ownFiles } = await loadedBy(["tools", "--config", await noServers()]);
    expect(ownFiles).toContain("packages/core/src/create-engine.ts");
    expect(packages.filter((name) => SLOW_PACKAGES.includes(name))).toEqual([]);
    expect(ownFiles.filter((file) => file.startsWith("packages/mcp/"))).toEqual([]);
  });

  it("neither the engine nor a package but the command line's before an editor has a session", async () => {
    const stdin = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
    const { packages, ownFiles } = await loadedBy(["acp"], {}, stdin);
    expect(packages).toEqual(["commander"]);
    expect(ownFiles).toContain("apps/tacklebox/src/acp/agent.ts");
    expect(ownFiles.filter((file) => file.startsWith("packages/")).sort()).toEqual([...LISTED, ...READS_JSON]);
  });

  it("the query builder when it queries the call log", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const config = await noServers();
    await runProgram(["tools", "--config", config], { env });
    const { packages } = await loadedBy(["calls", "--config", config], env);
    expect(packages.filter((name) => SLOW_PACKAGES.includes(name))).toEqual(["kysely"]);
  });
});

async function noServers(): Promise<string> {
  return writeConfig(await temporaryFolder(), "tacklebox.yaml", "servers: {}\n");
}

const Report = z.object({ result: z.array(z.object({ url: z.string() })) });
const SourceMap = z.object({ sources: z.array(z.string()) });

interface Loaded {
  /** Names, or scopes, of third-party packages. */
  readonly packages: readonly string[];
  /** Paths relative to the repository. */
  readonly ownFiles: readonly string[];
}

/** Returns the modules the program evaluated: Node's coverage report, traced back to the sources of the bundle. */
async function loadedBy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin = "",
): Promise<Loaded> {
  const folder = await temporaryFolder();
  const { code, stderr } = await runProgram(args, { env: { ...env, NODE_V8_COVERAGE: folder }, stdin });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [report = ""] = await readdir(folder);
  const { result } = Report.parse(JSON.parse(await readFile(join(folder, report), "utf8")));
  const files = result.flatMap(({ url }) => (url.startsWith("file:") ? [fileURLToPath(url)] : []));
  const sources = (await Promise.all(files.map(sourcesOf))).flat();
  return {
    packages: [...new Set(sources.flatMap((source) => /^node_modules\/([^/]+)/.exec(source)?.[1] ?? []))].sort(),
    ownFiles: sources.filter((source) => !source.startsWith("node_modules/")),
  };
}

async function sourcesOf(file: string): Promise<readonly string[]> {
  const map = `${file}.map`;
  const sources = existsSync(map) ? SourceMap.parse(JSON.parse(await readFile(map, "utf8"))).sources : [file];
  return sources.map((source) => relative(root, resolve(dirname(file), source)));
}

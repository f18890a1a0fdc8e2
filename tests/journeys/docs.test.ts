import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromAcpEntries, fromAppRecord, parseConfig } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { startAimock } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { filesystemPath, memoryPath, startHttpFixture } from "../support/servers.ts";
import { temporaryFolder } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const builtProgram = join(root, "apps/tacklebox/dist/main.js");

interface Block {
  readonly page: string;
  /** The line the block starts on, for test titles. */
  readonly line: number;
  /** The text after the opening fence: `yaml`, `json record`. */
  readonly kind: string;
  readonly text: string;
}

interface Page {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const pages = await readPages();
const blocks = pages.flatMap((page) => page.blocks);

async function readPages(): Promise<readonly Page[]> {
  const files = (await readdir(join(root, "docs"), { recursive: true })).filter((file) => file.endsWith(".md"));
  const names = ["README.md", "SECURITY-MODEL.md", ...files.map((file) => join("docs", file)).sort()];
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(root, name), "utf8");
      return { name, text, blocks: blocksOf(name, text) };
    }),
  );
}

function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(/^```(\w[^\n]*)\n([\s\S]*?)^```$/gm)].map(({ 1: kind = "", 2: body = "", index }) => ({
    page,
    line: text.slice(0, index).split("\n").length,
    kind,
    text: body,
  }));
}

function ofKind(...kinds: readonly string[]): [string, Block][] {
  return blocks.filter(({ kind }) => kinds.includes(kind)).map((block) => [`${block.page}:${block.line}`, block]);
}

/** Gives every variable that a text names a value. */
function environmentOf(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{(?:env:)?([A-Z_]+)\}/g)].map(([, name = ""]) => [name, "some value"]);
  return Object.fromEntries(names);
}

function parse({ kind, text }: Block) {
  return parseConfig(text, { file: kind.startsWith("json") ? "file.json" : "file.yaml", env: environmentOf(text) });
}

describe("S4.41 every file in the documents", () => {
  it.each(ofKind("yaml", "json"))("%s loads", (_place, block) => {
    expect(parse(block)).toMatchObject({ kind: "ok" });
  });

  it.each(ofKind("yaml invalid"))("%s is refused with the text on the page", (_place, block) => {
    const parsed = parse(block);
    const page = pages.find(({ name }) => name === block.page);
    expect(parsed.kind).toBe("invalid");
    for (const { message } of parsed.kind === "invalid" ? parsed.problems : []) expect(page?.text).toContain(message);
  });

  it.each(ofKind("json record"))("%s is a record of the app", (_place, { text }) => {
    expect(fromAppRecord(JSON.parse(text))).toMatchObject({ kind: "ok", warnings: [] });
  });

  it.each(ofKind("json acp"))("%s is what an editor sends", (_place, { text }) => {
    expect(fromAcpEntries(JSON.parse(text))).toMatchObject({ warnings: [], problems: [] });
  });

  it.each(ofKind("json editor"))("%s is JSON in which an editor finds a command of ours", (_place, { text }) => {
    const { agent_servers: agents } = JSON.parse(text);
    expect(agents).toEqual({ Tacklebox: expect.objectContaining({ args: ["acp"] }) });
    expect(agents.Tacklebox.command).toMatch(/^\/.*\/tacklebox$/);
  });

  it.each(ofKind("elisp", "lua"))("%s starts the same command", (_place, { text }) => {
    expect(text).toMatch(/"\/usr\/local\/bin\/tacklebox"/);
    expect(text).toMatch(/"acp"/);
  });

  it("is checked by one of these tests", () => {
    // The driver needs Emacs, which the tests do not have.
    const editors = ["json editor", "elisp", "lua", "elisp driver"];
    const tried = ["yaml", "json", "yaml invalid", "json record", "json acp", "sh", "text", ...editors];
    expect(blocks.filter(({ kind }) => !tried.includes(kind))).toEqual([]);
  });
});

describe("every command in the documents", () => {
  it.each(ofKind("sh"))("%s runs", async (_place, block) => {
    const folder = await temporaryFolder();
    const env = await prepare(folder, block);
    const { code, output } = await shell(block.text, join(folder, "work"), env);
    expect(code, output).toBe(0);
  });

  /** Puts the program on the PATH, writes the page's last config above the block, and starts a model for it. */
  async function prepare(folder: string, block: Block): Promise<Record<string, string>> {
    const [bin, work, home] = ["bin", "work", "home"].map((name) => join(folder, name)) as [string, string, string];
    for (const made of [bin, work, home]) await mkdir(made);
    const program = process.env.TACKLEBOX_PROGRAM ?? builtProgram;
    await writeFile(join(bin, "tacklebox"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(join(bin, "tacklebox"), 0o755);
    const config = join(work, "tacklebox.yaml");
    await writeFile(config, await reachable(fileAbove(block)));
    const data = join(folder, "data");
    // Readers agree to the file they wrote when the first command asks them.
    await runProgram(["allow", config], { env: { TACKLEBOX_DATA: data } });
    const model = await startAimock();
    model.onMessage(/./, { content: "Nothing much." });
    const asked = { OPENAI_API_KEY: "sk-of-the-documents", OPENAI_BASE_URL: `${model.url}/v1` };
    return { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: home, TACKLEBOX_DATA: data, ...asked };
  }

  function fileAbove({ page, line }: Block): string {
    const files = blocks.filter((block) => block.page === page && block.kind === "yaml" && block.line < line);
    return files.at(-1)?.text ?? "servers: {}\n";
  }

  /** Returns the same file with servers that are available on this machine. */
  async function reachable(file: string): Promise<string> {
    const http = await startHttpFixture("http-tools", { TOOLS: "get_customer" });
    const local = (path: string) => `command: ${JSON.stringify(process.execPath)}\n    args: [${JSON.stringify(path)}`;
    return file
      .replaceAll(/command: npx\n\s+args: \[-y, "@modelcontextprotocol\/server-filesystem"/g, local(filesystemPath))
      .replaceAll(/command: npx\n\s+args: \[-y, "@modelcontextprotocol\/server-memory"/g, local(memoryPath))
      .replaceAll(/^ {4}(vendor: openai\n.*\n.*)$/gm, "    $1\n    base_url: ${OPENAI_BASE_URL}")
      .replaceAll(/https:\/\/\w+\.example\.com\/mcp/g, http.url);
  }

  function shell(script: string, cwd: string, env: Record<string, string>): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      execFile("/bin/sh", ["-ec", script], { cwd, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({ code, output: `${stdout}\n${stderr}` });
      });
    });
  }
});

describe("generated files", () => {
  it("are up to date with the schemas", async () => {
    const script = join(root, "scripts/generate-docs.mjs");
    const stale = await new Promise<string>((resolve) => {
      execFile(process.execPath, [script, "--check"], { cwd: root }, (_error, _stdout, stderr) => resolve(stderr));
    });
    expect(stale).toBe("");
  });
});

describe("the recorded picture", () => {
  it("shows a call with its exact arguments, and keeps every space", async () => {
    const picture = await readFile(join(root, "docs/first-minute.svg"), "utf8");
    const rows = [...picture.matchAll(/^<text [^>]*>(.*)<\/text>$/gm)].map(([, row = ""]) =>
      row.replaceAll(/<[^>]*>/g, ""),
    );
    // Browsers drop ordinary spaces at the start of a row.
    expect(rows.filter((row) => row.includes(" "))).toEqual([]);
    expect(rows.map((row) => row.replaceAll("\u00a0", " "))).toEqual(
      expect.arrayContaining(["? 1 read_file · files wants to run with", '    "path": "packing-list.md"']),
    );
  });
});

describe("links in the documents", () => {
  it.each(pages.map((page): [string, Page] => [page.name, page]))(
    "%s points at files and headings that exist",
    async (name, page) => {
      const links = [...page.text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)];
      for (const [, target = "", heading] of links.filter(([, to = ""]) => !/^[a-z]+:/.test(to))) {
        const file = target === "" ? join(root, name) : join(root, name, "..", target);
        const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error.code);
        expect(text, `${name} links to ${target}`).not.toBe("ENOENT");
        if (heading !== undefined) expect(anchorsOf(text ?? ""), `${name} links to ${target}`).toContain(heading);
      }
    },
  );

  /** The anchors of a page's headings, made as GitHub makes them. */
  function anchorsOf(text: string): readonly string[] {
    const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
    return [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  }
});

describe("the lines of the security model", () => {
  const rows = [
    ...(pages.find(({ name }) => name === "SECURITY-MODEL.md")?.text ?? "").matchAll(/^\| ([TSF][\d.]+) \|.*$/gm),
  ];
  const held = rows.flatMap(([row, id = ""]) => [...row.matchAll(/\]\(([^)]+)\)/g)].map(([, file = ""]) => [id, file]));

  it("are there", () => expect(new Set(held.map(([id]) => id)).size).toBe(rows.length));

  it.each(held)("%s has tests by that name in %s", async (id = "", file = "") => {
    const text = await readFile(join(root, file), "utf8");
    const title = new RegExp(`["\`][^"\`]*\\b${id.replace(".", "\\.")}\\b`);
    expect(text).toMatch(title);
  });
});

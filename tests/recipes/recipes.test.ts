import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADDITIONS } from "./additions.ts";
import { createScratchCopy, type Finished, type ScratchCopy } from "./scratch-copy.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const CONFIG = `
servers:
  bird: { transport: parrot, url: "parrot:polly" }
models:
  large: { vendor: acme, model: acme-large, api_key: sk-acme-0123456789 }
`;

/** The files that a recipe names, from its row in CONTRIBUTING.md. */
function filesOf(contributing: string, { what, name }: (typeof ADDITIONS)[number]): readonly string[] {
  const row = contributing.split("\n").find((line) => line.startsWith(`| ${what} |`)) ?? "";
  return Array.from(row.matchAll(/`([\w./-]+\.(?:ts|json))`/g), ([, file = ""]) =>
    file.replaceAll("NAME", name),
  ).sort();
}

describe("the recipes of CONTRIBUTING.md, followed in a copy of the repository", () => {
  let copy: ScratchCopy;
  let contributing: string;
  const touched = new Map<string, readonly string[]>();

  beforeAll(async () => {
    copy = await createScratchCopy();
    contributing = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
    for (const { what, add } of ADDITIONS) {
      await add(copy);
      touched.set(what, copy.touched());
    }
    await copy.write("tacklebox.yaml", CONFIG);
    const bundling = `import { bundle } from "./scripts/bundle.mjs"; await bundle("dist", { maps: false });`;
    const bundled = await copy.node(["--input-type=module", "--eval", bundling]);
    expect(bundled.output).toBe("");
  });
  afterAll(() => copy.remove());

  const tacklebox = (...args: string[]): Promise<Finished> =>
    copy.node(["dist/main.js", ...args], {
      TACKLEBOX_CONFIG: "tacklebox.yaml",
      TACKLEBOX_DATA: join(copy.folder, "work/memory"),
      ACME_API_KEY: "sk-acme-0123456789",
    });
  const vitest = (...files: string[]): Promise<Finished> =>
    copy.node(["node_modules/vitest/vitest.mjs", "run", "--project", "integration", ...files]);

  it.each(ADDITIONS)("$what touches the files that its recipe names and no others", (addition) => {
    expect(touched.get(addition.what)).toEqual(filesOf(contributing, addition));
  });

  it("what they add has the types that the rest expects", async () => {
    expect(await copy.node(["node_modules/typescript/bin/tsc", "-b"])).toEqual({ code: 0, output: "" });
  });

  it("a transport's servers can be configured and called", async () => {
    const { code, output } = await tacklebox("call", "bird", "repeat", "--args", '{"word":"hello"}');
    expect({ code, output }).toEqual({ code: 0, output: '{"word":"hello"}\n' });
    expect((await tacklebox("servers")).output).toMatch(/bird\s+connected\s+parrot/);
  });

  it("a store keeps what is called, and passes the contract of stores", async () => {
    // Kept in memory: what another process finds is nothing.
    expect((await tacklebox("calls")).output).toContain("No calls");
    const { code, output } = await vitest("packages/storage/src/memory");
    expect({ code, passed: /Tests\s+(\d+) passed/.test(output) }).toEqual({ code: 0, passed: true });
  });

  it("a vendor's models can be configured and found, and pass the contract of models", async () => {
    const { output } = await tacklebox("model", "list");
    expect(output).toMatch(/large\s+yes\s+acme\s+acme-large/);
    const contract = await vitest("packages/models/src/vendors/contract.test.ts");
    expect(contract.code).toBe(0);
    expect(contract.output).toMatch(/Tests\s+\d+ passed/);
  });

  it("a command is run, helped with and completed", async () => {
    expect(await tacklebox("greet", "Ada")).toEqual({ code: 0, output: "Hello, Ada\n" });
    expect((await tacklebox("greet", "Ada", "--json")).output).toBe('{"greeted":"Ada"}\n');
    expect((await tacklebox("greet", "--help")).output).toContain("{ greeted }");
    expect((await tacklebox("completion", "bash")).output).toContain("greet");
  });
});

import { builtinModules } from "node:module";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build, type RolldownOutput } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "./bad-tree.ts";

/** What a browser is given of each package. */
const ENTRIES = {
  core: "@tacklebox/core",
  rfc009: "@tacklebox/core/rfc-009",
  mcp: "@tacklebox/mcp",
  custom: "@tacklebox/mcp/custom",
  models: "@tacklebox/models",
  vault: "@tacklebox/storage/vault",
};

const BUILTINS = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);

/** Bundles a text as a browser's build would, in one file. */
async function bundleForBrowser(source: string): Promise<{ code: string; builtins: readonly string[] }> {
  const entry = "\0browser-entry";
  const { output }: RolldownOutput = await build({
    cwd: join(root, "tests"),
    input: entry,
    platform: "browser",
    write: false,
    logLevel: "silent",
    // Left as imports, so that they are seen in the output and not replaced by something empty.
    external: (id) => BUILTINS.has(id),
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? { code: source, moduleType: "js" } : undefined),
      },
    ],
    output: { format: "iife", name: "bundle", codeSplitting: false, globals: (id) => id.replace(/\W/g, "_") },
  });
  const [chunk] = output;
  return { code: chunk.code, builtins: [...chunk.imports, ...chunk.dynamicImports].filter((id) => BUILTINS.has(id)) };
}

/** The globals of a browser that Node has too, and nothing of Node's own. */
function browserGlobals(): object {
  const names = [
    ...[
      "AbortController",
      "AbortSignal",
      "Blob",
      "DOMException",
      "Event",
      "EventTarget",
      "Headers",
      "Request",
      "Response",
    ],
    ...[
      "ReadableStream",
      "TextDecoder",
      "TextDecoderStream",
      "TextEncoder",
      "TransformStream",
      "URL",
      "URLSearchParams",
    ],
    ...[
      "atob",
      "btoa",
      "clearTimeout",
      "crypto",
      "fetch",
      "performance",
      "queueMicrotask",
      "setTimeout",
      "structuredClone",
    ],
    ...["WritableStream", "FormData", "clearInterval", "setInterval", "console", "MessageChannel", "Worker"],
  ];
  return Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]));
}

describe("what runs in a browser", () => {
  let bundle: { code: string; builtins: readonly string[] };

  beforeAll(async () => {
    const lines = Object.entries(ENTRIES).map(
      ([name, specifier]) => `export * as ${name} from ${JSON.stringify(specifier)};`,
    );
    bundle = await bundleForBrowser(lines.join("\n"));
  });

  it("imports nothing of Node's", () => {
    expect(bundle.builtins).toEqual([]);
  });

  it("loads where there is no process, no Buffer and no require", () => {
    const context = createContext(browserGlobals());
    runInContext(bundle.code, context);
    const found: unknown = runInContext(
      "[bundle.core.createEngine, bundle.mcp.createHttpConnector, bundle.models.createModels, bundle.vault.createVault].map((part) => typeof part)",
      context,
    );
    expect(found).toEqual(["function", "function", "function", "function"]);
  });

  it("would be told apart from what needs Node", async () => {
    const { builtins } = await bundleForBrowser('export * from "@tacklebox/mcp/node";');
    expect(builtins).toContain("node:child_process");
  });
});

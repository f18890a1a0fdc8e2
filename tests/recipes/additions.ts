import type { ScratchCopy } from "./scratch-copy.ts";

/** Something made up that is added as CONTRIBUTING.md says. */
export interface Addition {
  /** As in the first column of the table in CONTRIBUTING.md. */
  readonly what: string;
  /** What NAME stands for in the recipe. */
  readonly name: string;
  readonly add: (copy: ScratchCopy) => Promise<void>;
}

const LAUNCH = "packages/core/src/domain/launch.ts";
const WRITTEN = "packages/core/src/config/entries/written-transports.ts";
const ENGINE = "apps/tacklebox/src/compose-engine.ts";

/** Servers that run in no process: each has one tool, which says what it is told. */
const transport: Addition = {
  what: "a transport",
  name: "parrot",
  async add(copy) {
    await copy.edit(LAUNCH, '"local", "custom"]);', '"local", "custom", "parrot"]);');
    await copy.edit(
      LAUNCH,
      "/** How to reach a server: everything",
      `const ParrotLaunch = object({ transport: z.literal("parrot"), url: z.string() });

/** How to reach a server: everything`,
    );
    await copy.edit(LAUNCH, "LocalLaunch, CustomLaunch]);", "LocalLaunch, CustomLaunch, ParrotLaunch]);");
    await copy.edit(
      LAUNCH,
      "} satisfies { readonly [T in Transport]: TransportFacts<LaunchOf<T>> };",
      `  parrot: {
    address: ({ url }) => url,
    identity: (launch) => launch,
    mapCredentials: (launch) => launch,
  },
} satisfies { readonly [T in Transport]: TransportFacts<LaunchOf<T>> };`,
    );
    await copy.edit(
      WRITTEN,
      "} satisfies { readonly [T in WritableTransport]: WrittenTransport<LaunchOf<T>> };",
      `  parrot: {
    names: { native: ["parrot"] },
    fields: ["url"],
    required: "url",
    toLaunch: (url) => ({ transport: "parrot", url }),
  },
} satisfies { readonly [T in WritableTransport]: WrittenTransport<LaunchOf<T>> };`,
    );
    await copy.edit(
      "packages/core/src/domain/launch.test.ts",
      '  local: { transport: "local" },\n',
      '  local: { transport: "local" },\n  parrot: { transport: "parrot", url: "parrot:polly" },\n',
    );
    await copy.write(
      "packages/mcp/src/parrot/parrot-connector.ts",
      `import { type Connector, NO_OFFERS } from "@tacklebox/core";

export function createParrotConnector(): Connector {
  return {
    transports: ["parrot"],
    open: async () => ({
      info: {
        name: "parrot",
        version: "1",
        protocolVersion: "none",
        era: "modern",
        transport: "parrot",
        capabilities: { tools: {} },
      },
      listTools: async () => ({ entries: [{ name: "repeat", inputSchema: { type: "object" } }] }),
      callTool: ({ arguments: said }) => ({
        answer: Promise.resolve({ content: [{ type: "text", text: JSON.stringify(said) }], isError: false }),
        finished: Promise.resolve("answered"),
      }),
      ...NO_OFFERS,
      close: async () => undefined,
    }),
  };
}
`,
    );
    await copy.edit(
      "packages/mcp/package.json",
      '"./node": "./src/node.ts",',
      '"./node": "./src/node.ts",\n    "./parrot": "./src/parrot/parrot-connector.ts",',
    );
    await copy.edit(
      ENGINE,
      "connectors: [stdio, http, custom],",
      `connectors: [
      ...[stdio, http, custom],
      createLazyConnector(["parrot"], async () => (await import("@tacklebox/mcp/parrot")).createParrotConnector()),
    ],`,
    );
  },
};

const vendor: Addition = {
  what: "a model vendor",
  name: "acme",
  async add(copy) {
    const model = "packages/core/src/domain/model.ts";
    await copy.edit(model, '"openai-compatible"] as const;', '"openai-compatible", "acme"] as const;');
    await copy.edit(
      model,
      '  "openai-compatible": {\n',
      `  acme: {
    title: "Acme",
    apiKey: { kind: "required", variables: "ACME" },
    baseUrl: "optional",
    apis: [],
  },
  "openai-compatible": {
`,
    );
    await copy.write(
      "packages/models/src/vendors/acme.ts",
      `import { compatibleChat } from "./compatible.ts";
import type { Vendor } from "./vendor.ts";

export const acme: Vendor = {
  baseUrl: "https://api.acme.example/v1",
  urlVersion: "written",
  apiOf: () => compatibleChat,
  defaultModelId: "acme-large",
  knownModels: [[/^acme-large/, { vision: true, contextTokens: 256_000 }]],
  modelIds: "global",
  defaultAbilities: { vision: false, contextTokens: 64_000 },
  failureCodes: new Map(),
  contextPatterns: [],
};
`,
    );
    const vendors = "packages/models/src/vendors/vendors.ts";
    await copy.edit(vendors, "import { anthropic }", 'import { acme } from "./acme.ts";\nimport { anthropic }');
    await copy.edit(vendors, "  anthropic,\n", "  anthropic,\n  acme,\n");
  },
};

/** Keeps everything in memory, which is what core's own test double does. */
const store: Addition = {
  what: "a store",
  name: "memory",
  async add(copy) {
    await copy.write(
      "packages/storage/src/memory/index.ts",
      `import type { MemberDeps, Store } from "@tacklebox/core";
import { createMemoryStore } from "@tacklebox/core/testing";
import { createMemoryRecords, type SecretRecords } from "../vault/index.ts";

export function openMemoryStore(deps: MemberDeps): Store & { readonly secrets: SecretRecords } {
  return { ...createMemoryStore(deps), secrets: createMemoryRecords() };
}
`,
    );
    await copy.write(
      "packages/storage/src/memory/index.test.ts",
      `import { createMemoryContents, createMemoryStore, storeContract } from "@tacklebox/core/testing";
import { describe, it } from "vitest";

describe("the memory store", () => {
  for (const { name, run } of storeContract(async (options) => {
    const contents = createMemoryContents();
    const store = createMemoryStore(options, contents);
    return {
      store,
      join: async (other) => createMemoryStore(other, contents),
      reopen: async () => createMemoryStore(options, contents),
      cleanup: () => store.close(),
    };
  })) it(name, run);
});
`,
    );
    await copy.edit(
      "packages/storage/package.json",
      '"./sqlite": "./src/sqlite/index.ts",',
      '"./memory": "./src/memory/index.ts",\n    "./sqlite": "./src/sqlite/index.ts",',
    );
    const opener = "apps/tacklebox/src/open-store.ts";
    await copy.edit(
      opener,
      "  const file = callLogFile(dataFolder);\n",
      `  if (dataFolder.endsWith("memory")) {
    const { openMemoryStore } = await import("@tacklebox/storage/memory");
    const member = createMember(process.pid, randomUUID(), facts);
    return { kind: "opened", store: openMemoryStore({ member, processes: createProcessTable(facts), now: Date.now }) };
  }
  const file = callLogFile(dataFolder);
`,
    );
  },
};

const command: Addition = {
  what: "a command",
  name: "greet",
  async add(copy) {
    await copy.write(
      "apps/tacklebox/src/commands/greet.ts",
      `import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { printJson } from "../output/print.ts";

export interface GreetOptions extends CommonOptions {
  readonly name: string;
}

export async function run({ io }: Context, { name, json }: GreetOptions): Promise<ExitCode> {
  if (json) await printJson(io, { greeted: name });
  else await io.stdout.write(\`Hello, \${name}\\n\`);
  return EXIT.ok;
}
`,
    );
    const table = "apps/tacklebox/src/command-table/upkeep.ts";
    await copy.edit(table, "import { argumentOneOf, flag }", "import { argument, argumentOneOf, flag }");
    await copy.edit(
      table,
      "    checkedCommand({\n",
      `    command({
      name: "greet",
      summary: "say hello",
      example: "tacklebox greet Ada",
      json: "{ greeted }",
      takes: { name: argument("whom") },
      load: () => import("../commands/greet.ts"),
    }),

    checkedCommand({
`,
    );
  },
};

export const ADDITIONS = [transport, vendor, store, command];

import type { Gpt } from "../../domain/gpt.ts";
import type { ModelDefinition } from "../../domain/model.ts";
import type { Launch, ServerDefinition } from "../../domain/server.ts";
import type { Vault } from "../../ports/vault.ts";
import { createMemoryVault } from "../memory-vault.ts";
import { testDefinition } from "../test-definition.ts";
import type { Canaries } from "./canaries.ts";
import { REFUSING } from "./leaky-connector.ts";

/** A configuration in which every place that can hold a secret holds a canary. */
export interface CanaryConfig {
  /** Of the config file from the beginning. */
  readonly servers: readonly ServerDefinition[];
  /** Those that come while the engine is running: by a reload, from a door, with a session. */
  readonly reloaded: readonly ServerDefinition[];
  readonly added: ServerDefinition;
  readonly brought: readonly ServerDefinition[];
  readonly models: readonly ModelDefinition[];
  readonly gpt: Gpt;
  /** Values that launches refer to. */
  readonly vault: Vault;
  /** Secrets that nobody refers to, to be put by a person. */
  readonly typed: Readonly<Record<string, string>>;
}

export function createCanaryConfig({ take }: Pick<Canaries, "take">): CanaryConfig {
  const values = new Map<string, string>();
  /** A reference to another secret of the vault. */
  const kept = (kind: Parameters<typeof take>[0] = "loose"): string => {
    const name = `NAME_${values.size + 1}`;
    values.set(name, take(kind));
    return `\${secret:${name}}`;
  };
  const model = modelWith(take);
  return {
    servers: [
      server("files", processLaunch(take, kept)),
      server("plain", { transport: "stdio", command: "plain", args: [], env: { API_TOKEN: take("loose") } }),
      server("web", webLaunch(take, kept)),
      server("bearer", {
        transport: "streamable-http",
        url: `https://me:${encodeURIComponent(take("wild"))}@bearer.example/mcp`,
        headers: {},
        authentication: { type: "bearer", token: take("wild") },
      }),
      server("keyed", {
        transport: "sse",
        url: `https://keyed.example/sse?key=${kept()}`,
        headers: { Cookie: `theme=dark; sid=${take()}` },
        authentication: { type: "api-key", header: "X-Key", key: kept() },
      }),
      server("basic", {
        transport: "http",
        url: "https://basic.example/mcp",
        headers: { Authorization: `Basic ${btoa(`me:${take()}`)}` },
        authentication: { type: "basic", username: take("wild"), password: take("wild") },
      }),
      server("custom", customLaunch(take, kept)),
      required(REFUSING, {
        transport: "http",
        url: `https://refusing.example/mcp?signature=${encodeURIComponent(take("wild"))}`,
        headers: { "X-Api-Key": kept() },
        authentication: { type: "none" },
      }),
    ],
    reloaded: [
      server("reloaded", {
        transport: "stdio",
        command: "reloaded",
        args: ["--auth-token", take("wild")],
        env: { SERVICE_KEY: kept() },
      }),
      required(`${REFUSING}-again`, {
        transport: "stdio",
        command: "again",
        args: [],
        env: { PASSWORD: take("wild") },
      }),
    ],
    added: server("added", {
      transport: "http",
      url: `https://added.example/mcp?access_token=${take()}`,
      headers: { Authorization: `Bearer ${take("wild")}` },
      authentication: { type: "none" },
    }),
    brought: [
      server("own", {
        transport: "stdio",
        command: "own",
        args: [`--secret=${take()}`],
        env: { OWN_TOKEN: take("loose"), OTHER: kept() },
      }),
      server("near", {
        transport: "http",
        url: `https://near.example/mcp?sig=${kept()}`,
        headers: { "X-Session-Key": take("wild") },
        authentication: { type: "bearer", token: kept() },
      }),
      server(`${REFUSING}-too`, {
        transport: "stdio",
        command: "refusing",
        args: [],
        env: { OWN_PASSWORD: take("wild") },
      }),
    ].map((definition) => ({ ...definition, scope: "session" as const })),
    models: [model],
    gpt: {
      key: "configured",
      name: "Configured",
      description: `Knows ${model.apiKey}`,
      instructions: `Be brief, and never say ${model.headers["X-Model-Key"]}.`,
      tools: {},
      approval: "auto",
      trustedTools: [],
    },
    vault: createMemoryVault(Object.fromEntries(values)),
    typed: { FIRST: take("loose"), SECOND: take("wild"), THIRD: take() },
  };
}

type Take = Canaries["take"];
type Kept = (kind?: Parameters<Take>[0]) => string;

/** Some people write into the description what they would forget. */
function server(key: string, launch: Launch): ServerDefinition {
  return testDefinition(key, { launch, description: `Uses ${JSON.stringify(launch)}` });
}

function required(key: string, launch: Launch): ServerDefinition {
  return { ...server(key, launch), required: true };
}

function processLaunch(take: Take, kept: Kept): Launch {
  return {
    transport: "stdio",
    command: "files",
    args: [
      `--token=${take("wild")}`,
      "--api-key",
      take("wild"),
      "-e",
      `GITHUB_TOKEN=${take()}`,
      "--header",
      `Authorization: Bearer ${take("wild")}`,
      `postgres://me:${encodeURIComponent(take("wild"))}@db.example/shop`,
      `--endpoint=https://files.example/?api_key=${encodeURIComponent(take("wild"))}`,
      "--password",
      kept(),
      kept(),
    ],
    env: {
      API_TOKEN: take("loose"),
      CLIENT_SECRET: take("wild"),
      SESSION_COOKIE: take("loose"),
      DATABASE_URL: `mysql://me:${encodeURIComponent(take("wild"))}@db.example/shop`,
      CACHE: `redis://:${take()}@cache.example:6379`,
      SERVICE: `https://files.example/?token=${encodeURIComponent(take("wild"))}`,
      ANYTHING: kept(),
      MIXED: `user=me password=${kept()}`,
    },
  };
}

function webLaunch(take: Take, kept: Kept): Launch {
  return {
    transport: "http",
    // As people write it: not everything in it is encoded that could be.
    url: `https://web.example/mcp?api_key=${encodeURIComponent(take("wild"))}&token=${asWritten(take("wild"))}`,
    headers: {
      Authorization: `Bearer ${take("wild")}`,
      "X-Api-Key": take("wild"),
      "X-Anything": kept(),
      "X-Other": `Token ${kept("wild")}`,
    },
    authentication: { type: "none" },
  };
}

/** With what must be encoded in a query encoded, and nothing else. */
function asWritten(value: string): string {
  return value.replace(/[%&+#\s]/g, encodeURIComponent);
}

function customLaunch(take: Take, kept: Kept): Launch {
  const tool = { description: "An endpoint.", inputSchema: { type: "object" } };
  return {
    transport: "custom",
    tools: [
      {
        ...tool,
        name: "tell",
        url: `https://custom.example/tell?key=${take()}`,
        headers: { "X-Custom-Key": take("wild") },
        authentication: { type: "none" },
      },
      {
        ...tool,
        name: "fail",
        url: "https://custom.example/fail",
        headers: { "X-Custom": kept() },
        authentication: { type: "basic", username: "somebody", password: kept("wild") },
      },
    ],
  };
}

function modelWith(take: Take): ModelDefinition {
  return {
    name: "configured",
    vendor: "openai-compatible",
    modelId: "configured",
    apiKey: take("wild"),
    baseUrl: `https://me:${encodeURIComponent(take("wild"))}@models.example/v1?api_key=${take()}`,
    headers: { "X-Model-Key": take("wild"), Authorization: `Bearer ${take()}` },
    isDefault: true,
    source: "test",
  };
}

import type { Gpt } from "../../domain/gpt.ts";
import type { Launch } from "../../domain/launch.ts";
import type { ModelDefinition } from "../../domain/model.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Vault } from "../../ports/vault.ts";
import { createMemoryVault } from "../memory/memory-vault.ts";
import { testDefinition } from "../test-definition.ts";
import type { Canaries } from "./canaries.ts";
import { REFUSING } from "./leaky-connector.ts";

/** A configuration in which every place that can hold a secret holds a canary. */
export interface CanaryConfig {
  /** The servers of the config file at the start. */
  readonly servers: readonly ServerDefinition[];
  /** Servers added while the engine is running: by a reload, by a door, with a session. */
  readonly reloaded: readonly ServerDefinition[];
  readonly added: ServerDefinition;
  readonly brought: readonly ServerDefinition[];
  readonly models: readonly ModelDefinition[];
  readonly gpt: Gpt;
  /** Holds the values that launches refer to. */
  readonly vault: Vault;
  /** Secrets that nothing refers to, to be stored by a person. */
  readonly typed: Readonly<Record<string, string>>;
}

export function createCanaryConfig({ take }: Pick<Canaries, "take">): CanaryConfig {
  const values = new Map<string, string>();
  /** Stores another secret in the vault and returns a reference to it. */
  const kept = (kind: Parameters<typeof take>[0] = "any"): string => {
    const name = `NAME_${values.size + 1}`;
    values.set(name, take(kind));
    return `\${secret:${name}}`;
  };
  const model = modelWith(take);
  return {
    servers: [
      server("files", processLaunch(take, kept)),
      server("plain", { transport: "stdio", command: "plain", args: [], env: { API_TOKEN: take("any") } }),
      server("web", webLaunch(take, kept)),
      server("bearer", {
        transport: "streamable-http",
        url: `https://me:${encodeURIComponent(take("unicode"))}@bearer.example/mcp`,
        headers: {},
        authentication: { type: "bearer", token: take("unicode") },
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
        authentication: { type: "basic", username: take("unicode"), password: take("unicode") },
      }),
      server("custom", customLaunch(take, kept)),
      required(REFUSING, {
        transport: "http",
        url: `https://refusing.example/mcp?signature=${encodeURIComponent(take("unicode"))}`,
        headers: { "X-Api-Key": kept() },
        authentication: { type: "none" },
      }),
    ],
    reloaded: [
      server("reloaded", {
        transport: "stdio",
        command: "reloaded",
        args: ["--auth-token", take("unicode")],
        env: { SERVICE_KEY: kept() },
      }),
      required(`${REFUSING}-again`, {
        transport: "stdio",
        command: "again",
        args: [],
        env: { PASSWORD: take("unicode") },
      }),
    ],
    added: server("added", {
      transport: "http",
      url: `https://added.example/mcp?access_token=${take()}`,
      headers: { Authorization: `Bearer ${take("unicode")}` },
      authentication: { type: "none" },
    }),
    brought: [
      server("own", {
        transport: "stdio",
        command: "own",
        args: [`--secret=${take()}`],
        env: { OWN_TOKEN: take("any"), OTHER: kept() },
      }),
      server("near", {
        transport: "http",
        url: `https://near.example/mcp?sig=${kept()}`,
        headers: { "X-Session-Key": take("unicode") },
        authentication: { type: "bearer", token: kept() },
      }),
      server(`${REFUSING}-too`, {
        transport: "stdio",
        command: "refusing",
        args: [],
        env: { OWN_PASSWORD: take("unicode") },
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
    typed: { FIRST: take("any"), SECOND: take("unicode"), THIRD: take() },
  };
}

type Take = Canaries["take"];
type Kept = (kind?: Parameters<Take>[0]) => string;

/** Some people write their secrets into the description. */
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
      `--token=${take("unicode")}`,
      "--api-key",
      take("unicode"),
      "-e",
      `GITHUB_TOKEN=${take()}`,
      "--header",
      `Authorization: Bearer ${take("unicode")}`,
      `postgres://me:${encodeURIComponent(take("unicode"))}@db.example/shop`,
      `--endpoint=https://files.example/?api_key=${encodeURIComponent(take("unicode"))}`,
      `--header=X-Anything: ${take("unicode")}`,
      `-HX-Glued: ${take("unicode")}`,
      "-u",
      `me:${take("unicode")}`,
      `exec serve --password ${take()} -H "Authorization: Bearer ${take()}"`,
      `OTHER_TOKEN=${take()}`,
      `me:${take()}@tcp(db:3306)/shop`,
      "--password",
      kept(),
      kept(),
    ],
    env: {
      API_TOKEN: take("any"),
      CLIENT_SECRET: take("unicode"),
      SESSION_COOKIE: take("any"),
      DATABASE_URL: `mysql://me:${encodeURIComponent(take("unicode"))}@db.example/shop`,
      CACHE: `redis://:${take()}@cache.example:6379`,
      SERVICE: `https://files.example/?token=${encodeURIComponent(take("unicode"))}`,
      ANYTHING: kept(),
      MIXED: `user=me password=${kept("unicode")}`,
      CONNECTION: `Server=db;User Id=me;Password="${take()}";Encrypt=true`,
      STORAGE: `AccountName=shop;AccountKey=${take()};EndpointSuffix=core`,
      PARAMETERS: `host=db user=me password='${take()}' dbname=shop`,
      HEADERS: JSON.stringify({ Authorization: `Bearer ${take()}`, Version: "1" }),
      SENDER: `https://${take()}@errors.example/7`,
      SEVERAL: `mongodb://me:${encodeURIComponent(take("unicode"))}@db1:1,db2:2/shop`,
    },
  };
}

function webLaunch(take: Take, kept: Kept): Launch {
  return {
    transport: "http",
    // As people write it: not everything that could be encoded is.
    url: `https://web.example/mcp?api_key=${encodeURIComponent(take("unicode"))}&token=${asWritten(take("unicode"))}`,
    headers: {
      Authorization: `Bearer ${take("unicode")}`,
      "X-Api-Key": take("unicode"),
      "X-Anything": kept(),
      "X-Other": `Token ${kept("unicode")}`,
    },
    authentication: { type: "none" },
  };
}

/** Encodes only what must be encoded in a query. */
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
        headers: { "X-Custom-Key": take("unicode") },
        authentication: { type: "none" },
      },
      {
        ...tool,
        name: "fail",
        url: "https://custom.example/fail",
        headers: { "X-Custom": kept() },
        authentication: { type: "basic", username: "somebody", password: kept("unicode") },
      },
    ],
  };
}

function modelWith(take: Take): ModelDefinition {
  return {
    name: "configured",
    vendor: "openai-compatible",
    modelId: "configured",
    apiKey: take("unicode"),
    baseUrl: `https://me:${encodeURIComponent(take("unicode"))}@models.example/v1?api_key=${take()}`,
    headers: { "X-Model-Key": take("unicode"), Authorization: `Bearer ${take()}` },
    isDefault: true,
    source: "test",
  };
}

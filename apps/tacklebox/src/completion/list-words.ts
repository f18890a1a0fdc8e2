import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type EngineConfig, MODEL_VENDORS, VENDOR_RULES } from "@tacklebox/core";
import { findConfig } from "../config-file/find-config.ts";
import { dataFolder } from "../config-file/folders.ts";
import { loadOptionalConfig } from "../config-file/load-optional-config.ts";
import type { CommandEnvironment } from "../io.ts";
import { openStore, type ProgramStore } from "../open-store.ts";
import { hasStore } from "../store-upkeep.ts";
import type { Place } from "./find-place.ts";

/** A name that can be completed, and what it is the name of. */
export interface Word {
  readonly name: string;
  readonly about?: string;
}

interface Known {
  readonly config: EngineConfig | undefined;
  /** The file that the config was read from. */
  readonly source: string | undefined;
  readonly store: ProgramStore | undefined;
  readonly env: CommandEnvironment["env"];
}

const MOST_SESSIONS = 50;
const MOST_CALLS = 50;

/**
 * The names that fit the place: from the config, if it may be used without asking anybody, and from what is stored.
 * Starts no server, and creates nothing.
 */
export async function listWords(place: Place, environment: CommandEnvironment): Promise<readonly Word[]> {
  const { config, source } = await readConfig(place.config, environment);
  const store = await openExisting(environment);
  try {
    return await wordsOf(place, { config, source, store, env: environment.env });
  } finally {
    await store?.close();
  }
}

async function readConfig(explicit: string | undefined, environment: CommandEnvironment) {
  const found = findConfig(explicit, environment);
  // Reading a pipe would take from another reader, or wait for a writer.
  if (found.kind === "missing" || !statSync(found.file).isFile()) return { config: undefined, source: undefined };
  const loaded = await loadOptionalConfig(explicit, environment, undefined);
  return loaded.kind === "ok" && loaded.file !== undefined
    ? { config: loaded.config, source: resolve(loaded.file) }
    : { config: undefined, source: undefined };
}

async function openExisting(environment: CommandEnvironment): Promise<ProgramStore | undefined> {
  const folder = dataFolder(environment);
  if (!(await hasStore(folder))) return undefined;
  const opened = await openStore(folder, { readsOnly: true });
  return opened.kind === "opened" ? opened.store : undefined;
}

async function wordsOf({ kind, server }: Place, known: Known): Promise<readonly Word[]> {
  const { config, store } = known;
  const servers = (config?.servers ?? []).map(({ key }) => key);
  switch (kind) {
    case "servers":
      return servers.map((name) => ({ name }));
    case "tools":
      return (await toolsOf(servers, known)).map(({ shown, server: about }) => ({ name: shown, about }));
    case "server-tools": {
      const tools = await toolsOf(server === undefined ? servers : servers.filter((key) => key === server), known);
      return tools.map(({ tool }) => ({ name: tool }));
    }
    case "tool-refs":
      return (await toolsOf(servers, known)).map((one) => ({ name: `${one.server}:${one.tool}` }));
    case "sessions": {
      const sessions = (await store?.sessions.list({ limit: MOST_SESSIONS })) ?? [];
      return sessions.map(({ id, title }) => ({ name: id, about: title }));
    }
    case "gpts": {
      const gpts = [...(config?.gpts ?? []), ...((await store?.gpts.list()) ?? [])];
      return gpts.map(({ key, description, name }) => ({ name: key, about: description ?? name }));
    }
    case "models":
      return modelNames(known).map((name) => ({ name }));
    case "secrets":
      return ((await store?.secrets.list()) ?? []).map(({ name }) => ({ name })).filter(isSecretName);
    case "grants":
      return ((await store?.grants.list()) ?? []).map((grant) => ({
        name: grant.id,
        about: `${grant.server}:${grant.tool}`,
      }));
    case "calls": {
      const calls = (await store?.calls.list({ limit: MOST_CALLS })) ?? [];
      return calls.map(({ id, server, toolName, status }) => ({ name: id, about: `${server}:${toolName} ${status}` }));
    }
  }
}

/** Other records of the vault have names that no secret can have. */
function isSecretName({ name }: Word): boolean {
  return /^[\p{L}\p{N}]/u.test(name);
}

interface KnownTool {
  readonly server: string;
  /** Its name on that server. */
  readonly tool: string;
  /** Its name here. */
  readonly shown: string;
}

/** The tools these servers had when they were last used with this config; else, those that were called. */
async function toolsOf(servers: readonly string[], { source, store }: Known): Promise<readonly KnownTool[]> {
  const names = source === undefined ? [] : ((await store?.names.load(source)) ?? []);
  const held = names.map(({ name, ref }) => ({ server: ref.server, tool: ref.name, shown: name }));
  const kept = held.filter(({ server }) => servers.includes(server));
  if (kept.length > 0) return kept;
  const calls = (await store?.calls.list({ limit: MOST_CALLS })) ?? [];
  return calls
    .filter(({ server }) => servers.includes(server))
    .map(({ server, toolName, shownName }) => ({ server, tool: toolName, shown: shownName }));
}

/** Without those of a local Ollama, which would have to be asked. */
function modelNames({ config, env }: Known): readonly string[] {
  const configured = (config?.models ?? []).map(({ name }) => name);
  const found = MODEL_VENDORS.filter((vendor) => {
    const { apiKey } = VENDOR_RULES[vendor];
    return apiKey.kind === "required" && env[`${apiKey.variables}_API_KEY`] !== undefined;
  });
  return [...new Set([...configured, ...found, "demo"])];
}

import { type KnownSecrets, type ModelDefinition, type Models, type Vault, VaultError } from "@tacklebox/core";
import type { CommandEnvironment } from "./io.ts";

export interface ModelsRequest {
  /** Those of the config file, until it is said otherwise. */
  readonly configured: readonly ModelDefinition[];
  readonly env: CommandEnvironment["env"];
  readonly vault: Vault;
  readonly knownSecrets: KnownSecrets;
}

/**
 * The models of this process: those of the config file, then those of the environment, and the demo model when there are
 * none. What speaks to them is loaded by the first run; a local Ollama is asked only when nothing else answers.
 */
export function createLazyModels(request: ModelsRequest): Models {
  let { configured } = request;
  let loaded: Promise<Models> | undefined;
  const models = async (): Promise<Models> => {
    loaded ??= loadModels(request);
    const all = await loaded;
    all.configure?.(configured);
    return all;
  };
  return {
    list: async () => (await models()).list(),
    open: async (name) => (await models()).open(name),
    async embed(name, texts, signal) {
      const all = await models();
      return (await all.embed?.(name, texts, signal)) ?? [];
    },
    configure(definitions) {
      configured = definitions;
    },
  };
}

async function loadModels({ env, vault, knownSecrets }: ModelsRequest): Promise<Models> {
  const { createModels, findModels, findOllama } = await import("@tacklebox/models");
  const definitions = findModels(env);
  knownSecrets.add(definitions.flatMap(({ apiKey = "" }) => apiKey));
  return createModels({
    definitions,
    findMore: () => findOllama(fetch, env.OLLAMA_HOST),
    resolveSecret: (text) => fillFromVault(text, vault, knownSecrets),
  });
}

const REFERENCE = /\$\{secret:([^}]*)\}/g;

/** The text with the vault's values where `${secret:NAME}` stands; they are struck out of everything from here on. */
async function fillFromVault(text: string, vault: Vault, knownSecrets: KnownSecrets): Promise<string> {
  const values = new Map<string, string>();
  for (const [, name = ""] of text.matchAll(REFERENCE)) values.set(name, await lentValue(name, vault));
  knownSecrets.add([...values.values()]);
  return text.replace(REFERENCE, (_reference, name: string) => values.get(name) ?? "");
}

async function lentValue(name: string, vault: Vault): Promise<string> {
  try {
    return await vault.use(name, (value) => value);
  } catch (error) {
    if (!(error instanceof VaultError) || error.code !== "not-found") throw error;
    throw new VaultError("not-found", `there is no secret '${name}'. Store it with: tacklebox secret set ${name}`);
  }
}

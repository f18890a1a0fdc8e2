import { fillSecretText, type KnownSecrets, type ModelDefinition, type Models, type Vault } from "@tacklebox/core";
import { ADVICE } from "./advice.ts";
import type { CommandEnvironment } from "./io.ts";

export interface ModelsRequest {
  /** The config file's models; `configure` replaces them. */
  readonly configured: readonly ModelDefinition[];
  readonly env: CommandEnvironment["env"];
  readonly vault: Vault;
  readonly knownSecrets: KnownSecrets;
}

/**
 * The models of this process: the config file's, then the environment's, or the demo model when there are none. The
 * code that talks to them is loaded on first use; a local Ollama is asked only when no other model is found.
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
  const { createModels, findLocalModels, findModels } = await import("@tacklebox/models");
  const definitions = findModels(env);
  knownSecrets.add(definitions.flatMap(({ apiKey = "" }) => apiKey));
  return createModels({
    definitions,
    findMore: () => findLocalModels(fetch, env),
    resolveSecret: (text) => fillSecretText(text, { vault, knownSecrets, advice: ADVICE }),
  });
}

import { isJsonObject, type ModelDefinition } from "@tacklebox/core";

const DEFAULT_PORT = "11434";
/** A local program answers at once or is not running; no one should wait for one that is not. */
const BUDGET_MS = 750;
const MAX_MODELS = 50;

/**
 * Finds an Ollama's chat models, those that can call tools first. `host` is written as in `OLLAMA_HOST`. Returns none
 * if nothing answers there in time: not having Ollama is no error.
 */
export async function findOllama(
  fetcher: typeof fetch,
  host?: string,
  signal: AbortSignal = AbortSignal.timeout(BUDGET_MS),
): Promise<ModelDefinition[]> {
  const address = toAddress(host ?? "");
  if (address === undefined) return [];
  const listed = await askJson(fetcher, `${address}/api/tags`, { signal });
  const names = namesIn(listed).slice(0, MAX_MODELS);
  const found = await Promise.all(
    names.map(async (name) => {
      const body = JSON.stringify({ model: name });
      const shown = await askJson(fetcher, `${address}/api/show`, { method: "POST", body, signal });
      return { name, ...readShown(shown) };
    }),
  );
  const chatting = found.filter(
    ({ capabilities }) => capabilities === undefined || capabilities.includes("completion"),
  );
  const callingFirst = [...chatting.filter(callsTools), ...chatting.filter((model) => !callsTools(model))];
  return callingFirst.map((model) => toDefinition(model, address));
}

interface OllamaModel {
  readonly name: string;
  /** Undefined if this version of Ollama does not report them. */
  readonly capabilities: readonly string[] | undefined;
  readonly contextTokens: number | undefined;
}

function toDefinition({ name, capabilities, contextTokens }: OllamaModel, address: string): ModelDefinition {
  return {
    name: `ollama/${name}`,
    vendor: "openai-compatible",
    modelId: name,
    baseUrl: `${address}/v1`,
    headers: {},
    ...(capabilities === undefined ? {} : { vision: capabilities.includes("vision") }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    isDefault: false,
    source: `Ollama at ${address}`,
  };
}

function callsTools({ capabilities }: OllamaModel): boolean {
  return capabilities?.includes("tools") === true;
}

function namesIn(listed: unknown): string[] {
  if (!isJsonObject(listed) || !Array.isArray(listed.models)) return [];
  return listed.models.flatMap((entry: unknown) =>
    isJsonObject(entry) && typeof entry.name === "string" && entry.name !== "" ? [entry.name] : [],
  );
}

function readShown(shown: unknown): Pick<OllamaModel, "capabilities" | "contextTokens"> {
  if (!isJsonObject(shown)) return { capabilities: undefined, contextTokens: undefined };
  const capabilities = Array.isArray(shown.capabilities)
    ? shown.capabilities.filter((capability: unknown) => typeof capability === "string")
    : undefined;
  return { capabilities, contextTokens: windowIn(shown.parameters) };
}

// `num_ctx` is the window this Ollama really uses; the model's own maximum is not.
function windowIn(parameters: unknown): number | undefined {
  const found = typeof parameters === "string" ? /^num_ctx\s+(\d+)$/m.exec(parameters)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}

async function askJson(fetcher: typeof fetch, url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetcher(url, { ...init, redirect: "error" });
    if (response.ok) return await response.json();
    await response.body?.cancel();
    return undefined;
  } catch {
    return undefined;
  }
}

/** `OLLAMA_HOST` may be a URL, `host:port`, a host or `:port`, and may be the wildcard address a server listens on. */
function toAddress(host: string): string | undefined {
  const text = host.trim();
  const withHost = text === "" || text.startsWith(":") ? `127.0.0.1${text}` : text;
  const withScheme = /^https?:\/\//i.test(withHost) ? withHost : `http://${withHost}`;
  if (!URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  const namesPort = /^https?:\/\/[^/]*:\d+(\/|$)/i.test(withScheme) || /^https?:\/\//i.test(text);
  if (!namesPort) url.port = DEFAULT_PORT;
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

import type { RegisteredTool, ToolRef } from "../../domain/tool.ts";
import { isJsonObject } from "../../json/json.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Models } from "../../ports/model.ts";
import type { Embeddings } from "../../ports/store.ts";

export interface EmbedderDeps {
  readonly models: Models | undefined;
  readonly fingerprintOf: (ref: ToolRef) => string;
  /** Embeddings made earlier, by this process or another. */
  readonly embeddings: Embeddings;
  readonly logger: Logger;
}

export interface ToolEmbedder {
  embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<readonly Vector[]>;
  /** A vector per tool. A tool is not sent to the model again until it changes. */
  embedTools(
    model: string,
    tools: readonly RegisteredTool[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<RegisteredTool, Vector>>;
}

type Vector = readonly number[];

export const MAX_TEXT_LENGTH = 2_000;
const MAX_KEPT = 20_000;
/** Texts per request. Each answer is kept even if the next request times out, so a slow model finishes over time. */
const TEXTS_AT_ONCE = 100;

export function createToolEmbedder({ models, fingerprintOf, embeddings, logger }: EmbedderDeps): ToolEmbedder {
  const kept = new Map<string, Vector>();

  async function embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<readonly Vector[]> {
    if (models?.embed === undefined) throw new Error("no model here makes embeddings");
    return models.embed(model, texts, signal);
  }

  /** Includes the model's id, because a configured name may stand for another model tomorrow. */
  async function identityOf(model: string): Promise<string> {
    const opened = await models?.open(model);
    return JSON.stringify([model, opened?.kind === "opened" ? opened.model.summary.modelId : ""]);
  }

  /** Undefined for tools of sessions, about which nothing is stored. */
  function storedKeyOf({ ref }: RegisteredTool): string | undefined {
    return ref.scope === "session" ? undefined : JSON.stringify([ref.server, fingerprintOf(ref)]);
  }

  async function recall(identity: string, tools: readonly RegisteredTool[]): Promise<ReadonlyMap<string, Vector>> {
    const keys = tools.flatMap((tool) => storedKeyOf(tool) ?? []);
    return orFallback(embeddings.load(identity, keys), new Map());
  }

  async function store(identity: string, made: readonly (readonly [RegisteredTool, Vector])[]): Promise<void> {
    const rows = made.flatMap(([tool, vector]) => {
      const key = storedKeyOf(tool);
      return key === undefined || vector.length === 0 ? [] : [[key, vector] as const];
    });
    if (rows.length > 0) await orFallback(embeddings.save(identity, new Map(rows)), undefined);
  }

  /** Returns `fallback` if the store fails: the model can be asked again, so the search must not fail. */
  async function orFallback<T>(work: Promise<T>, fallback: T): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      logger.log("warn", `Embeddings of tools cannot be kept, so the model is asked for them again: ${detail}`);
      return fallback;
    }
  }

  return {
    embed,
    async embedTools(model, tools, signal) {
      // Different session tools may have the same name, so their text is part of the key.
      const keyOf = (tool: RegisteredTool) => JSON.stringify([model, tool.ref, storedKeyOf(tool) ?? textOf(tool)]);
      const missing = tools.filter((tool) => !kept.has(keyOf(tool)));
      if (kept.size + missing.length > MAX_KEPT) kept.clear();
      if (missing.length > 0) await fill(model, missing, keyOf, signal);
      return new Map(tools.map((tool) => [tool, kept.get(keyOf(tool)) ?? []]));
    },
  };

  async function fill(
    model: string,
    missing: readonly RegisteredTool[],
    keyOf: (tool: RegisteredTool) => string,
    signal: AbortSignal,
  ): Promise<void> {
    const identity = await identityOf(model);
    const stored = await recall(identity, missing);
    const known = (tool: RegisteredTool) => stored.get(storedKeyOf(tool) ?? "");
    for (const tool of missing) {
      const vector = known(tool);
      if (vector !== undefined) kept.set(keyOf(tool), vector);
    }
    const unknown = missing.filter((tool) => known(tool) === undefined);
    for (let first = 0; first < unknown.length; first += TEXTS_AT_ONCE) {
      const some = unknown.slice(first, first + TEXTS_AT_ONCE);
      const vectors = await embed(model, some.map(textOf), signal);
      const made = some.map((tool, at) => [tool, vectors[at] ?? []] as const);
      for (const [tool, vector] of made) kept.set(keyOf(tool), vector);
      await store(identity, made);
    }
  }
}

function textOf({ ref, tool }: RegisteredTool): string {
  const { properties } = tool.inputSchema;
  const parameters = isJsonObject(properties) ? Object.keys(properties).join(", ") : "";
  return `${ref.server} / ${tool.name} / ${tool.description} / ${parameters}`.slice(0, MAX_TEXT_LENGTH);
}

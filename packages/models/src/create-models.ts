import {
  type Clock,
  type Model,
  type ModelDefinition,
  ModelError,
  type ModelSummary,
  type Models,
  type OpenModel,
  systemClock,
} from "@tacklebox/core";
import { createDemoModel, DEMO_NAME, demoSummary } from "./demo/demo-model.ts";
import { embedTexts } from "./embed-texts.ts";
import { baseUrlOf, type ResolveSecret } from "./fill-endpoint.ts";
import { abilitiesOf } from "./known-models.ts";
import { createVendorModel } from "./vendor-model.ts";

export interface ModelsParts {
  /** In order of preference: the default is the one that says so, else the first. Of two with one name the first counts. */
  readonly definitions: readonly ModelDefinition[];
  /** Looks for more, such as those of a local Ollama; asked once, and only when `definitions` do not answer. */
  readonly findMore?: () => Promise<readonly ModelDefinition[]>;
  readonly resolveSecret: ResolveSecret;
  readonly clock?: Clock;
  readonly fetch?: typeof fetch;
}

export function createModels(parts: ModelsParts): Models {
  const { definitions, findMore = () => Promise.resolve([]), resolveSecret, clock = systemClock } = parts;
  const fetcher = parts.fetch ?? fetch;
  let configured: readonly ModelDefinition[] = [];
  let found: Promise<readonly ModelDefinition[]> | undefined;
  const findAll = async () => {
    found ??= findMore();
    return distinct([...configured, ...definitions, ...(await found)]);
  };
  const openNamed = (definition: ModelDefinition, all: readonly ModelDefinition[]): OpenModel => {
    const problem = problemOf(definition);
    if (problem !== undefined) return { kind: "unknown", message: problem };
    const summary = toSummary(definition, all);
    const model: Model = createVendorModel({ definition, summary, clock, fetch: fetcher, resolveSecret });
    return { kind: "opened", model };
  };

  return {
    async list() {
      const all = await findAll();
      const summaries = all.map((definition) => toSummary(definition, all));
      return all.some(({ name }) => name === DEMO_NAME) ? summaries : [...summaries, demoSummary(all.length === 0)];
    },
    async embed(name, texts, signal) {
      const known = distinct([...configured, ...definitions]);
      const all = pick(name, known) === undefined ? await findAll() : known;
      const definition = pick(name, all);
      const problem = definition === undefined ? unknownText(name, all) : problemOf(definition);
      if (definition === undefined || problem !== undefined) throw new ModelError("bad-answer", problem ?? "");
      const summary = toSummary(definition, all);
      return embedTexts({ definition, summary, clock, fetch: fetcher, resolveSecret }, texts, signal);
    },
    configure(next) {
      configured = next;
    },
    async open(name) {
      const known = distinct([...configured, ...definitions]);
      const definition = pick(name, known);
      if (definition !== undefined) return openNamed(definition, known);
      if (name === DEMO_NAME) return { kind: "opened", model: createDemoModel(known.length === 0) };
      const all = await findAll();
      const more = pick(name, all);
      if (more !== undefined) return openNamed(more, all);
      if (name === undefined) return { kind: "opened", model: createDemoModel(true) };
      return { kind: "unknown", message: unknownText(name, all) };
    },
  };
}

function distinct(definitions: readonly ModelDefinition[]): ModelDefinition[] {
  const byName = new Map<string, ModelDefinition>();
  for (const definition of definitions) if (!byName.has(definition.name)) byName.set(definition.name, definition);
  return [...byName.values()];
}

/** By name, by the vendor's id, or as `name/id` for another model of the same vendor and key. */
function pick(name: string | undefined, all: readonly ModelDefinition[]): ModelDefinition | undefined {
  if (name === undefined) return defaultOf(all);
  const exact = all.find((definition) => definition.name === name) ?? all.find(({ modelId }) => modelId === name);
  if (exact !== undefined) return exact;
  const [owner = "", ...rest] = name.split("/");
  const modelId = rest.join("/");
  const like = modelId === "" ? undefined : all.find((definition) => definition.name === owner);
  if (like === undefined) return undefined;
  // What was said about the size of one model is not true of another.
  const { contextTokens: _contextTokens, maxOutputTokens: _maxOutputTokens, vision: _vision, ...shared } = like;
  return { ...shared, name, modelId };
}

function defaultOf(all: readonly ModelDefinition[]): ModelDefinition | undefined {
  return all.find(({ isDefault }) => isDefault) ?? all[0];
}

function toSummary(definition: ModelDefinition, all: readonly ModelDefinition[]): ModelSummary {
  const { name, vendor, modelId, source } = definition;
  return { name, vendor, modelId, source, isDefault: defaultOf(all)?.name === name, ...abilitiesOf(definition) };
}

function problemOf(definition: ModelDefinition): string | undefined {
  const { name, source } = definition;
  const baseUrl = baseUrlOf(definition);
  if (baseUrl === "") return `Model '${name}' needs a baseUrl, such as http://127.0.0.1:8080/v1 (${source}).`;
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    return `Model '${name}' has a baseUrl that is no http address (${source}).`;
  }
  return undefined;
}

const MOST_NAMED = 12;

function unknownText(name: string, all: readonly ModelDefinition[]): string {
  const names = [...all.map((definition) => definition.name), DEMO_NAME];
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : "";
  const there = `There is no model '${name}'. There are: ${names.slice(0, MOST_NAMED).join(", ")}${more}.`;
  return all.length > 0 ? there : `${there} ${WAYS}`;
}

const WAYS =
  "For others set OPENAI_API_KEY or ANTHROPIC_API_KEY, start Ollama, or add the model under 'models' in the configuration.";

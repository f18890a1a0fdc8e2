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
import { KEY_VARIABLES } from "./find/find-models.ts";
import { embedTexts } from "./request/embed-texts.ts";
import { baseUrlOf, type ResolveSecret } from "./request/fill-endpoint.ts";
import { createVendorModel } from "./request/vendor-model.ts";
import { abilitiesOf } from "./vendors/abilities.ts";

export interface ModelsDeps {
  /** In order of preference: the default is the one marked so, else the first. If two share a name, the first wins. */
  readonly definitions: readonly ModelDefinition[];
  /**
   * Finds more models, such as those of a local Ollama. Called at most once, and only if `definitions` do not suffice.
   */
  readonly findMore?: () => Promise<readonly ModelDefinition[]>;
  readonly resolveSecret: ResolveSecret;
  readonly clock?: Clock;
  readonly fetch?: typeof fetch;
}

export function createModels(deps: ModelsDeps): Models {
  const { definitions, findMore = () => Promise.resolve([]), resolveSecret, clock = systemClock } = deps;
  const fetcher = deps.fetch ?? fetch;
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

/** Finds a model by name, by the vendor's model id, or as `name/id` for another model of the same vendor and key. */
function pick(name: string | undefined, all: readonly ModelDefinition[]): ModelDefinition | undefined {
  if (name === undefined) return defaultOf(all);
  const exact = all.find((definition) => definition.name === name) ?? all.find(({ modelId }) => modelId === name);
  if (exact !== undefined) return exact;
  const [owner = "", ...rest] = name.split("/");
  const modelId = rest.join("/");
  const like = modelId === "" ? undefined : all.find((definition) => definition.name === owner);
  if (like === undefined) return undefined;
  // The configured limits belong to the other model, so they are left out.
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
    return `Model '${name}' has a baseUrl that is not an http address (${source}).`;
  }
  return undefined;
}

const MAX_NAMED = 12;

function unknownText(name: string, all: readonly ModelDefinition[]): string {
  const names = [...all.map((definition) => definition.name), DEMO_NAME];
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
  const there = `There is no model '${name}'. Available: ${names.slice(0, MAX_NAMED).join(", ")}${more}.`;
  return all.length > 0 ? there : `${there} ${WAYS}`;
}

const WAYS = `To use others, set ${KEY_VARIABLES.join(" or ")}, start Ollama, or add a model under 'models' in the config file.`;

import * as z from "zod/mini";
import { MODEL_VENDORS, ModelApi, type ModelDefinition, type ModelVendor, VENDOR_RULES } from "../../domain/model.ts";
import { unredactedCredentialsOfModel } from "../../secrets/find-secrets.ts";
import type { ReadContext } from "../dialects/dialect.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { fillModelEntry } from "../fill-variables.ts";
import { isUsableAddress } from "./check-address.ts";
import { Credential, Flag, Headers, NonEmptyText, oneOf, Text, whole } from "./fields.ts";
import { checkName } from "./to-definition.ts";
import { warnOfUnredacted } from "./warn-of-unredacted.ts";

/** Programs that serve local models, all compatible with OpenAI's API. */
const LOCAL_SERVERS = ["ollama", "llamacpp", "vllm", "lmstudio"] as const;
type LocalServer = (typeof LOCAL_SERVERS)[number];

/** The default address of each. */
const LOCAL_URLS: Readonly<Record<LocalServer, string>> = {
  ollama: "http://127.0.0.1:11434/v1",
  llamacpp: "http://127.0.0.1:8080/v1",
  vllm: "http://127.0.0.1:8000/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
};

/** One entry of `models`. */
export const ModelFields = z.strictObject(
  {
    vendor: oneOf([...MODEL_VENDORS, ...LOCAL_SERVERS]),
    model: NonEmptyText,
    api_key: z.nullish(Credential),
    base_url: z.nullish(Text),
    api: z.nullish(oneOf(ModelApi.options)),
    headers: z.nullish(Headers),
    allow_insecure_http: z.nullish(Flag),
    vision: z.nullish(Flag),
    context_tokens: z.nullish(whole(1)),
    max_output_tokens: z.nullish(whole(1)),
    default: z.nullish(Flag),
  },
  { error: "must be a map that describes one model" },
);
type ModelFields = z.infer<typeof ModelFields>;

const PATH: Path = ["models"];
const EXAMPLE = "http://127.0.0.1:8080/v1";

export function readModels(written: unknown, { env, file, report }: ReadContext): ModelDefinition[] {
  if (!isMap(written)) return [];
  const definitions = Object.entries(written).flatMap(([name, entry]) => {
    const path = [...PATH, name];
    checkName("A model's name", name, path, report);
    const filled = fillModelEntry(entry, path, { env, usedBy: `model '${printable(name)}'` }, report);
    const fields = checkShape(ModelFields, filled, path, report);
    if (fields === undefined) return [];
    const model = toModel(name, fields, `models.${printable(name)} in ${file}`, path, report);
    if (model === undefined) return [];
    const place = { owner: `model '${printable(name)}'`, path, urlField: "base_url" };
    warnOfUnredacted(unredactedCredentialsOfModel(model), place, report);
    return [model];
  });
  refuseSecondDefault(definitions, report);
  return definitions;
}

function toModel(
  name: string,
  fields: ModelFields,
  source: string,
  path: Path,
  report: Report,
): ModelDefinition | undefined {
  const { vendor, ...found } = placeOf(fields.vendor);
  const baseUrl = fields.base_url || found.baseUrl;
  const rules = VENDOR_RULES[vendor];
  if (fields.api && !rules.apis.includes(fields.api)) {
    const text = `Model '${printable(name)}' is of ${rules.title}, which has one API; remove 'api'`;
    report.problem([...path, "api"], text, "key");
  }
  if (rules.apiKey.kind === "required" && !fields.api_key && !report.isBroken([...path, "api_key"])) {
    const text = `Model '${printable(name)}' is missing required field 'api_key', such as \${${rules.apiKey.variables}_API_KEY} or \${secret:NAME}`;
    report.problem([...path, "api_key"], text);
  }
  if (rules.baseUrl === "required" && baseUrl === undefined && !report.isBroken([...path, "base_url"])) {
    const text = `Model '${printable(name)}' is ${vendor} but is missing required field 'base_url', such as ${EXAMPLE}`;
    report.problem([...path, "base_url"], text);
  }
  if (baseUrl !== undefined && !isUsableBaseUrl(name, baseUrl, fields, path, report)) return undefined;
  return {
    name,
    vendor,
    modelId: fields.model,
    ...(fields.api_key ? { apiKey: fields.api_key } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(fields.api ? { api: fields.api } : {}),
    headers: fields.headers ?? {},
    ...(typeof fields.vision === "boolean" ? { vision: fields.vision } : {}),
    ...(fields.context_tokens ? { contextTokens: fields.context_tokens } : {}),
    ...(fields.max_output_tokens ? { maxOutputTokens: fields.max_output_tokens } : {}),
    isDefault: fields.default ?? false,
    source,
  };
}

function placeOf(written: ModelFields["vendor"]): { readonly vendor: ModelVendor; readonly baseUrl?: string } {
  return isLocalServer(written) ? { vendor: "openai-compatible", baseUrl: LOCAL_URLS[written] } : { vendor: written };
}

function isLocalServer(written: ModelFields["vendor"]): written is LocalServer {
  return Object.hasOwn(LOCAL_URLS, written);
}

function isUsableBaseUrl(name: string, url: string, fields: ModelFields, path: Path, report: Report): boolean {
  const address = {
    url,
    owner: `model '${printable(name)}'`,
    example: EXAMPLE,
    credentialFields: "'api_key' or 'headers'",
    carriesCredentials: Boolean(fields.api_key) || Object.keys(fields.headers ?? {}).length > 0,
    plainHttp: fields.allow_insecure_http === true ? "allow" : "warn",
  } as const;
  return isUsableAddress(address, [...path, "base_url"], report);
}

function refuseSecondDefault(definitions: readonly ModelDefinition[], report: Report): void {
  const [first, ...others] = definitions.filter(({ isDefault }) => isDefault);
  for (const { name } of others) {
    const text = `Models '${printable(first?.name ?? "")}' and '${printable(name)}' both say default: true; keep one`;
    report.problem([...PATH, name, "default"], text);
  }
}

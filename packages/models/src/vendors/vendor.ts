import type { EmbeddingModelV3, LanguageModelV3, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { JsonObject, ModelDefinition, ModelErrorCode, ModelTool } from "@tacklebox/core";

/** Everything specific to one vendor, except what its definitions must contain: that is `VENDOR_RULES` in core. */
export interface Vendor {
  /** The default base URL; undefined if every definition must have its own. */
  readonly baseUrl: string | undefined;
  /** Whether people write base URLs with the version (`/v1`). One that is only a host always lacks it. */
  readonly urlVersion: "written" | "left-out";
  /** The API to use for a model. */
  apiOf(definition: ModelDefinition): ApiStyle;
  /** The model to use if the environment has a key but names no model. */
  readonly defaultModelId?: string;
  /** Finds models of this vendor's kind served on this machine; resolves to none if nothing answers soon. */
  findLocal?(fetcher: typeof fetch, env: Environment): Promise<readonly ModelDefinition[]>;
  /**
   * Known abilities by model id; the first match wins. Used only for what a definition does not say itself. If
   * `modelIds` is `global`, another vendor's id means that vendor's model, as behind a gateway. If it is `local`, the
   * operator of the server chose the ids, so they say nothing.
   */
  readonly knownModels: readonly (readonly [modelId: RegExp, abilities: Abilities])[];
  readonly modelIds: "global" | "local";
  /** Assumed for a model that is not known. */
  readonly defaultAbilities: Abilities;
  /** The most tools allowed in one request; unlimited if absent. */
  readonly maxTools?: number;
  /** The meanings of the vendor's error codes and types, which say more than the HTTP status. */
  readonly failureCodes: ReadonlyMap<string, FailureMeaning>;
  /** Messages that mean a full context window, for vendors that report it as an invalid request without a code. */
  readonly contextPatterns: readonly RegExp[];
  /** Converts a tool to the vendor's own format, for callers that use its API without this package. */
  formatTool?(tool: Pick<ModelTool, "name" | "description" | "inputSchema">): JsonObject;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Abilities {
  readonly vision: boolean;
  readonly contextTokens: number;
}

/** `no-credit` is an `auth` failure, and `no-quota` a `rate-limit`, that neither another key nor waiting would fix. */
export type FailureMeaning = Exclude<ModelErrorCode, "cancelled"> | "no-credit" | "no-quota";

/**
 * One API and what it requires. Vendors share styles: one that serves another vendor's API imports the style from that
 * vendor's file.
 */
export interface ApiStyle {
  readonly name: "openai responses" | "openai chat" | "anthropic" | "openai-compatible";
  /**
   * Must pass every setting explicitly, even if empty: the SDK reads missing ones from the environment. Loads the
   * vendor's part of the SDK on first use, since most commands never use a model.
   */
  openModel(endpoint: Endpoint): Promise<LanguageModelV3>;
  /** Absent if the API has no embeddings. */
  openEmbeddings?(endpoint: Endpoint): Promise<EmbeddingModelV3>;
  /** Sent with every request. */
  readonly providerOptions: SharedV3ProviderOptions;
  /** Sent with every tool. */
  readonly toolOptions: { readonly strict?: boolean };
  /** Which thoughts to send back: none, signed ones, or all since the last user message. */
  readonly thoughts: "none" | "signed" | "of-this-round";
  /** Where a tool's images go: inside its result, or after it in a user message. */
  readonly resultImages: "inside" | "after";
  /** Converts a part's marks to the form the API expects back; they are sent unchanged if absent. */
  toSentMarks?(marks: SharedV3ProviderOptions): SharedV3ProviderOptions;
  /** Adapts a tool's schema beyond what every vendor needs. */
  adaptSchema?(schema: JsonObject): JsonObject;
}

/** The address, credentials and id of one model. */
export interface Endpoint {
  readonly modelId: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

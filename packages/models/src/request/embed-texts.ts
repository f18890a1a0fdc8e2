import { ModelError } from "@tacklebox/core";
import { cancelledError, toModelError } from "../failures/to-model-error.ts";
import { apiStyleOf } from "../vendors/vendors.ts";
import { fillEndpoint } from "./fill-endpoint.ts";
import type { VendorModelDeps } from "./vendor-model.ts";

/** Returns one vector per text, through the model SDK and without retries. Throws only ModelError. */
export async function embedTexts(
  deps: VendorModelDeps,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const { definition, summary } = deps;
  const { endpoint, redact } = await fillEndpoint(definition, deps.resolveSecret, deps.fetch);
  try {
    const model = await apiStyleOf(definition).openEmbeddings?.(endpoint);
    if (model === undefined) throw new ModelError("bad-answer", `Model '${summary.name}' does not make embeddings.`);
    const batchSize = (await model.maxEmbeddingsPerCall) ?? texts.length;
    const embeddings: number[][] = [];
    for (let first = 0; first < texts.length; first += batchSize) {
      const answer = await model.doEmbed({ values: texts.slice(first, first + batchSize), abortSignal: signal });
      embeddings.push(...answer.embeddings);
    }
    return embeddings;
  } catch (error) {
    if (signal.aborted) throw cancelledError(summary.name);
    const host = new URL(endpoint.baseUrl).host;
    const { name, modelId, source } = summary;
    const { vendor } = definition;
    throw toModelError(error, { name, vendor, modelId, host, source, now: deps.clock.now(), redact });
  }
}

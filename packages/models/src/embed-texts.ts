import { ModelError } from "@tacklebox/core";
import { fillEndpoint } from "./fill-endpoint.ts";
import { createEmbeddingModel } from "./open-provider.ts";
import { cancelledError, toModelError } from "./to-model-error.ts";
import type { VendorModelParts } from "./vendor-model.ts";

/** A vector per text, through the model SDK and without retries. Throws ModelError and nothing else. */
export async function embedTexts(
  parts: VendorModelParts,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const { definition, summary } = parts;
  const { endpoint, redact } = await fillEndpoint(definition, parts.resolveSecret, parts.fetch);
  try {
    const model = await createEmbeddingModel(endpoint);
    if (model === undefined) throw new ModelError("bad-answer", `Model '${summary.name}' makes no embeddings.`);
    const most = (await model.maxEmbeddingsPerCall) ?? texts.length;
    const embeddings: number[][] = [];
    for (let first = 0; first < texts.length; first += most) {
      const answer = await model.doEmbed({ values: texts.slice(first, first + most), abortSignal: signal });
      embeddings.push(...answer.embeddings);
    }
    return embeddings;
  } catch (error) {
    if (signal.aborted) throw cancelledError(summary.name);
    const host = new URL(endpoint.baseUrl).host;
    const { name, modelId, source } = summary;
    throw toModelError(error, { name, modelId, host, source, now: parts.clock.now(), redact });
  }
}

// @ts-check
import { pathToFileURL } from "node:url";
import { median } from "../report/arithmetic.mjs";
import { hostFile } from "../run/places.mjs";
import { loadPackage } from "./load-package.mjs";

/**
 * Counts the tokens of the requests our engine sends to a model, with OpenAI's tokenizer.
 *
 * @param {Record<string, unknown>} options for the host's `requests` job
 */
export async function run(options) {
  const { countTokens } = await loadPackage("gpt-tokenizer/encoding/o200k_base");
  const { run: capture } = await import(pathToFileURL(hostFile).href);
  const { all, first, searched } = await capture({ what: "requests", ...options });
  const middle = (/** @type {readonly string[]} */ texts) => median(texts.map((text) => countTokens(text)));
  return { all: countTokens(all), first: middle(first), searched: middle(searched) };
}

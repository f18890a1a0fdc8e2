// @ts-check
// Our tool search as the program uses it, with words and vectors, for any scorer that calls build(tools).
import { createEngine, loadVectors } from "./load-search.mjs";

const vectors = loadVectors();

/** @param {readonly import("./load-search.mjs").ListedTool[]} tools */
export function build(tools) {
  return createEngine(tools, vectors);
}

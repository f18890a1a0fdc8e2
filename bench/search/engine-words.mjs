// @ts-check
// Our tool search with words alone.
import { createEngine } from "./load-search.mjs";

/** @param {readonly import("./load-search.mjs").ListedTool[]} tools */
export function build(tools) {
  return createEngine(tools);
}

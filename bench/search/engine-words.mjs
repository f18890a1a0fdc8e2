// @ts-check
// The search for tools by words alone.
import { createEngine } from "./load-search.mjs";

/** @param {readonly import("./load-search.mjs").ListedTool[]} tools */
export function build(tools) {
  return createEngine(tools);
}

// @ts-check
// MiniSearch with its defaults.
import { loadPackage } from "../subjects/load-package.mjs";
import { toEngine } from "./minisearch.mjs";

const { default: MiniSearch } = await loadPackage("minisearch");

/** @param {readonly import("./load-search.mjs").ListedTool[]} tools */
export function build(tools) {
  const search = new MiniSearch({ fields: ["name", "description"] });
  return toEngine(search, tools);
}

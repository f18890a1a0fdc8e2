// @ts-check
// MiniSearch tuned for tools: split identifiers, stemming, stop words, and boosts for every field.
import { loadPackage } from "../subjects/load-package.mjs";
import { toEngine } from "./minisearch.mjs";

const [{ default: MiniSearch }, { stemmer }] = await Promise.all([loadPackage("minisearch"), loadPackage("stemmer")]);
const STOP = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from get give had has have he help her his
  how i if in into is it its just know let like make may me might more most must my need no not of on or our out over own please
  same she should so some such sure tell than that the their them then there these they this to too up us use used using very via
  want was we were what when where which who why will with would you your`.split(/\s+/),
);

/** @param {readonly import("./load-search.mjs").ListedTool[]} tools */
export function build(tools) {
  const search = new MiniSearch({
    fields: ["name", "server", "description", "parameters", "details"],
    tokenize: (/** @type {string} */ text) =>
      text
        .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
        .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
        .replace(/([a-zA-Z])(\d)/g, "$1 $2")
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    processTerm: (/** @type {string} */ term) => (STOP.has(term) ? null : stemmer(term)),
    searchOptions: { boost: { name: 3, server: 1.5, parameters: 0.5, details: 0.7 } },
  });
  return toEngine(search, tools);
}

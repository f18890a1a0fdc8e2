import { printableJson } from "../../output/printable.ts";

// Spaces that are not plain, and characters that are drawn as nothing. \p{C} includes what is not assigned.
const INVISIBLE = /[^\P{Z} ]|\p{C}|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/**
 * Shows a text so that nothing in it can hide: on one line, with quotes where its ends or its spaces would otherwise
 * be unclear, and with an escape for every character that is not drawn.
 */
export function showWhole(text: string): string {
  const isPlain = text !== "" && !/^ | $| {2}|["'\\]/.test(text) && text.search(INVISIBLE) === -1;
  return isPlain ? text : printableJson(JSON.stringify(text)).replace(INVISIBLE, toEscape);
}

/** The escape that JSON has for it. */
function toEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

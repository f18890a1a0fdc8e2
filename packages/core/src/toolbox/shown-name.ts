const LONGEST_SHOWN_NAME = 64;
const SUFFIX_LENGTH = 9;

/** A name every model vendor accepts (S1.8, D.13), always the same for the same raw name. */
export function toShownName(rawName: string): string {
  const legal = rawName.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?![a-zA-Z_])/, "_");
  if (legal.length <= LONGEST_SHOWN_NAME) return legal;
  return withSuffix(legal, rawName);
}

/** For a name whose shown form belongs to another tool: a suffix made of the raw name alone, never of order. */
export function toDistinctShownName(rawName: string): string {
  return withSuffix(toShownName(rawName), rawName);
}

export function toQualifiedShownName(server: string, rawName: string): string {
  return toShownName(`${server}__${rawName}`);
}

function withSuffix(legal: string, rawName: string): string {
  return `${legal.slice(0, LONGEST_SHOWN_NAME - SUFFIX_LENGTH)}_${shortHash(rawName)}`;
}

/** FNV-1a, 32 bits: tells names apart; nothing here relies on it being hard to forge. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

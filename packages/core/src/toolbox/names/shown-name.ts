const MAX_SHOWN_NAME_LENGTH = 64;
const SUFFIX_LENGTH = 9;
/** A name that is shown as it is. */
const IS_SHOWN_NAME = new RegExp(`^[a-zA-Z_][a-zA-Z0-9_-]{0,${MAX_SHOWN_NAME_LENGTH - 1}}$`);

/** A name that every model vendor accepts, always the same for the same raw name. */
export function toShownName(rawName: string): string {
  if (IS_SHOWN_NAME.test(rawName)) return rawName;
  const legal = toLegal(rawName);
  if (legal.length <= MAX_SHOWN_NAME_LENGTH) return legal;
  return withSuffix(legal, rawName);
}

/** Used if another tool has the plain shown name: adds a suffix that depends on the raw name alone, not on order. */
export function toDistinctShownName(rawName: string): string {
  return withSuffix(toShownName(rawName), rawName);
}

export function toQualifiedShownName(server: string, rawName: string): string {
  return toShownName(`${server}__${rawName}`);
}

/** How every qualified name of a server begins, also those that are too long to be shown whole. */
export function toQualifiedPrefix(server: string): string {
  return toLegal(`${server}__`).slice(0, MAX_SHOWN_NAME_LENGTH - SUFFIX_LENGTH);
}

function toLegal(rawName: string): string {
  return rawName.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?![a-zA-Z_])/, "_");
}

function withSuffix(legal: string, rawName: string): string {
  return `${legal.slice(0, MAX_SHOWN_NAME_LENGTH - SUFFIX_LENGTH)}_${shortHash(rawName)}`;
}

/** FNV-1a, 32 bits, to tell names apart; nothing relies on it being hard to forge. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

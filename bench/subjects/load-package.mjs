// @ts-check

/**
 * Imports a peer without its types: peers are installed on demand, so the type checker may not find them.
 *
 * @param {string} name
 */
export function loadPackage(name) {
  return import(name);
}

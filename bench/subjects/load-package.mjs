// @ts-check

/**
 * Peers are installed on demand and may be missing, so nothing about them is known before they are loaded.
 *
 * @param {string} name
 */
export function loadPackage(name) {
  return import(name);
}

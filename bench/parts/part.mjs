// @ts-check

/**
 * @typedef {object} PartSettings
 * @property {boolean} quick
 * @property {boolean} profile
 * @property {boolean} peers whether to install and measure other programs that are large to download
 * @property {number} rounds
 * @property {string} dataRoot a folder on a real disk
 * @property {(line: string) => void} say
 */

export {};

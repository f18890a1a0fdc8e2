// @ts-check
// The order of the rooms in packages/core/src: each may import those below it, and none above it.
import { posix } from "node:path";

/** From the top. ARCHITECTURE.md says what each one holds; a test compares the two lists. */
export const CORE_ROOMS = [
  "rfc-009",
  "index.ts",
  "create-engine.ts",
  "lifecycle",
  "runs",
  "sessions",
  "call",
  "toolbox",
  "servers",
  "config",
  "catalog",
  "validation",
  "secrets",
  "events",
  "wire",
  "client",
  "platform",
  "engine-host.ts",
  "engine.ts",
  "ports",
  "domain",
  "text",
  "json",
  "async",
];

/** A folder with more source files than this hides what it holds. */
export const MAX_FILES_IN_A_FOLDER = 25;

const CORE = "packages/core/src/";
const STEPS = `${CORE}call/steps/`;
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** @typedef {{ rule: string, index: number, message: string }} RoomBreach */

/**
 * What a file of core imports against the order.
 *
 * @param {string} file relative to the repository, with forward slashes
 * @param {string} source
 * @returns {RoomBreach[]}
 */
export function roomBreaches(file, source) {
  const room = roomOf(file);
  // Test doubles may use everything.
  if (room === undefined || room === "testing") return [];
  const place = CORE_ROOMS.indexOf(room);
  if (place === -1) {
    return [
      { rule: "core-rooms", index: 0, message: `"${room}" has no place in CORE_ROOMS of scripts/core-rooms.mjs` },
    ];
  }
  return [...source.matchAll(IMPORT)].flatMap(({ 1: specifier = "", index }) => {
    const target = posix.join(posix.dirname(file), specifier);
    const message = objection(file, room, place, target);
    return message === undefined ? [] : [{ rule: "core-rooms", index, message }];
  });
}

/**
 * @param {string} file
 * @param {string} room
 * @param {number} place
 * @param {string} target
 * @returns {string | undefined}
 */
function objection(file, room, place, target) {
  const other = roomOf(target);
  if (other === undefined) return undefined;
  if (other === "testing") return "only tests use the test doubles";
  if (CORE_ROOMS.indexOf(other) < place) return `${room} is below ${other}, and imports point downwards`;
  if (file.startsWith(STEPS) && target.startsWith(STEPS))
    return "a step never imports another step: call-tool.ts holds their order";
  if (room === "call" && target === `${CORE}call/call-tool.ts` && !isAboveTheSteps(file))
    return "what the path of a call is made of does not know the path";
  return undefined;
}

/** @param {string} file */
function isAboveTheSteps(file) {
  return posix.dirname(file) === `${CORE}call`;
}

/**
 * The folder or file directly below core's sources; undefined for what is not in there.
 *
 * @param {string} file
 */
function roomOf(file) {
  return file.startsWith(CORE) ? file.slice(CORE.length).split("/", 1)[0] : undefined;
}

/**
 * Folders with too many source files, tests not counted.
 *
 * @param {readonly string[]} files relative to the repository, with forward slashes
 * @returns {{ folder: string, count: number }[]}
 */
export function crowdedFolders(files) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const file of files) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MAX_FILES_IN_A_FOLDER).map(([folder, count]) => ({ folder, count }));
}

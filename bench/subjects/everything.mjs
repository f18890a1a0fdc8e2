// @ts-check
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");

/** The program of the reference server that every subject calls. */
export const everything = join(dirname(manifest), "dist/index.js");

/** How our engine starts the server over stdio: it starts every server in a session of its own. */
export const everythingLaunch = { command: process.execPath, args: [everything, "stdio"] };

/**
 * How the other clients start the server. Linux divides a busy processor among sessions, so without a session of its
 * own their server would get a smaller share than ours: that alone made 20 clients of the bare SDK up to half as fast.
 */
export const referenceLaunch = { command: "setsid", args: [process.execPath, everything, "stdio"] };

/**
 * Returns the text that `echo` returned, from an MCP tool result.
 *
 * @param {unknown} result
 * @returns {string}
 */
export function textOf(result) {
  if (typeof result !== "object" || result === null || !("content" in result) || !Array.isArray(result.content)) {
    throw new Error("The answer is no tool result.");
  }
  return String(result.content[0]?.text);
}

// @ts-check
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");

/** The program of the reference server that everybody here calls. */
export const everything = join(dirname(manifest), "dist/index.js");

/** How our engine starts it over stdio: in a session of its own, as it starts every server. */
export const everythingLaunch = { command: process.execPath, args: [everything, "stdio"] };

/**
 * How everybody else starts it. Linux shares a busy processor among sessions, so without one of its own their server
 * would get a smaller share than ours: 20 clients of the bare SDK were ready up to half as fast for that reason alone.
 */
export const referenceLaunch = { command: "setsid", args: [process.execPath, everything, "stdio"] };

/**
 * What `echo` answered, from a result as MCP has it.
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

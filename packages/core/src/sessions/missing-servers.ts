import { BUILT_IN_NAMES } from "../domain/tool.ts";

/**
 * Tells a model which servers are missing, so that it does not make up their answers. It gets names only: the reason may
 * be in the words of the failed server, which have no place among instructions.
 */
export function missingServersText(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `MCP servers that are not connected: ${quoted(names)}. You have none of their tools now. If one is needed, say that it is missing instead of making up what it would have answered.`;
}

/** Tells a model which servers may still join, and how to wait for one of them. */
export function comingServersText(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `MCP servers that are still connecting: ${quoted(names)}. You have none of their tools yet; they are added as soon as they are there. If you need one, search for it with ${BUILT_IN_NAMES.search}, which waits for them, instead of making up what it would have answered.`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}

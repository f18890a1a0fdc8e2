/**
 * Tells a model which servers of the session it has to do without, so that it does not pretend. Names alone: why one failed
 * may be in the words of that server, and these have no place among instructions.
 */
export function missingServersText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const listed = names.map((name) => `'${name}'`).join(", ");
  return `MCP servers of this session that are not connected: ${listed}. You have none of their tools now. If one is needed, say that it is missing instead of making up what it would have answered.`;
}

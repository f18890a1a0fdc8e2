/**
 * Tells a model which servers are missing or still connecting, so that it does not make up their answers. It gets names
 * only: the reason may be in the words of the failed server, which have no place among instructions.
 */
export function missingServersText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const listed = names.map((name) => `'${name}'`).join(", ");
  return `MCP servers that are not connected: ${listed}. You have none of their tools now. If one is needed, say that it is missing instead of making up what it would have answered.`;
}

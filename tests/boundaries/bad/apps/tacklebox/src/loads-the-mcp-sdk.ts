// breaks correctness/noUndeclaredDependencies, style/noRestrictedImports, boundaries/mcp-sdk
export const borrow = () => import("@modelcontextprotocol/client");

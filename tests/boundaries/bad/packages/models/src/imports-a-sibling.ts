// breaks correctness/noUndeclaredDependencies, style/noRestrictedImports
import { createHttpConnector } from "@tacklebox/mcp";
export const borrowed = createHttpConnector;

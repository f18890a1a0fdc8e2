// breaks style/noRestrictedImports
import { createHttpConnector } from "../../../mcp/src/index.ts";
export const borrowed = createHttpConnector;

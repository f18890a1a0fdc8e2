// breaks style/noRestrictedImports
import { serveStdio } from "@modelcontextprotocol/server/stdio";
export const borrowed = serveStdio;

// breaks correctness/noUndeclaredDependencies, style/noRestrictedImports
import { Client } from "@modelcontextprotocol/client";
export const borrowed = Client;

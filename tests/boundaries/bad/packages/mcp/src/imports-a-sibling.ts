// breaks correctness/noUndeclaredDependencies, style/noRestrictedImports
import { openSqliteStore } from "@tacklebox/storage/sqlite";
export const borrowed = openSqliteStore;

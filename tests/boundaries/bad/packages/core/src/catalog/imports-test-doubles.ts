// breaks style/noRestrictedImports
import { memoryStore } from "../testing/memory-store.ts";
export const borrowed = memoryStore;

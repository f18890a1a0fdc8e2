// breaks nothing
import { readFileSync } from "node:fs";
import { it } from "vitest";
import { memoryStore } from "../testing/memory-store.ts";
export const kept = [readFileSync, it, memoryStore];

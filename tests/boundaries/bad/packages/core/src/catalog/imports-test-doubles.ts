// breaks boundaries/core-rooms
import { memoryStore } from "../testing/memory-store.ts";
export const borrowed = memoryStore;

// breaks style/noRestrictedImports
import { takeSlot } from "../take-slot.ts";
export const borrowed = takeSlot;

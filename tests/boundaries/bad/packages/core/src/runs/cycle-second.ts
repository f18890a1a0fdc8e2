// breaks suspicious/noImportCycles
import { first } from "./cycle-first.ts";
export const second = (): unknown => first();

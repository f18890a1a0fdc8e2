// breaks suspicious/noImportCycles
import { second } from "./cycle-second.ts";
export const first = () => second();

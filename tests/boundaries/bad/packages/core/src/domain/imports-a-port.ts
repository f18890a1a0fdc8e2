// breaks style/noRestrictedImports
import type { Clock } from "../ports/clock.ts";
export type Borrowed = Clock;

// breaks nothing
import type { Engine } from "../domain/engine.ts";
import { limiter } from "./slots/limiter.ts";
export const kept = limiter;
export type Kept = Engine;

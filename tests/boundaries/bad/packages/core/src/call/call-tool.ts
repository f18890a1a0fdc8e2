// breaks nothing
import { pool } from "../connections/pool.ts";
import type { Engine } from "../domain/engine.ts";
import { decide } from "./decide.ts";
export const kept = [pool, decide];
export type Kept = Engine;

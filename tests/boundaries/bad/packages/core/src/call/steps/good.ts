// breaks nothing
import type { Json } from "../../json/json.ts";
import { limiter } from "../slots/limiter.ts";
export const kept = limiter;
export type Kept = Json;

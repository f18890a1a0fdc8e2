// breaks nothing
import type { Json } from "../json/json.ts";
export type Kept = Json;

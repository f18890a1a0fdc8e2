// breaks nothing
import type { Json } from "./json.ts";
export type Kept = Json;

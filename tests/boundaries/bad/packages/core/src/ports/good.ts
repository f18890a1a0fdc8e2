// breaks nothing
import type { Json } from "../domain/json.ts";
export type Kept = Json;

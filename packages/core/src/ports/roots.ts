import type { Root } from "../domain/elicitation.ts";
import type { ServerDefinition } from "../domain/server.ts";

/** Says which folders a server may be told about. */
export interface Roots {
  list(server: ServerDefinition): Promise<readonly Root[]>;
}

import type { Ending } from "../domain/call.ts";

export interface Metrics {
  /** One call that reached its server: how long it ran there, waiting apart (D.12). */
  toolUsed(toolName: string, seconds: number): void;
  /** One call that ended, however far it got. */
  callEnded(server: string, ending: Ending | "success"): void;
}

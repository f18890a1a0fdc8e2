import type { Ending } from "../domain/call.ts";

export interface Metrics {
  /** Records a call that reached its server. `seconds` is how long it ran there, without waiting times. */
  toolUsed(toolName: string, seconds: number): void;
  /** Records a call that ended, however far it got. */
  callEnded(server: string, ending: Ending | "success"): void;
}

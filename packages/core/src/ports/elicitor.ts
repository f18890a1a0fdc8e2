import type { ElicitationAnswer, ElicitationRequest } from "../domain/elicitation.ts";

/** Asks the person at this door on behalf of a server. Doors with nobody behind them have none: servers are then told so. */
export interface Elicitor {
  /** Rejects only when `signal` is aborted. */
  ask(request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationAnswer>;
}

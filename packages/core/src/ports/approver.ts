import type { ApprovalAnswer, ApprovalRequest } from "../domain/approval.ts";

/** Asks whoever decides at this door. Headless doors answer deny at once. */
export interface Approver {
  /** Rejects only when `signal` is aborted. The engine enforces the expiry, not the approver. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

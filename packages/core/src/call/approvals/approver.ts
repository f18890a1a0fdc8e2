import type { ApprovalAnswer, ApprovalRequest } from "../../domain/approval.ts";

/** Asks the person who decides at a door. Doors without a person deny at once. */
export interface Approver {
  /** Whether so many approvals wait that another would go unseen; the call is refused then. Absent: never full. */
  isFull?(): boolean;
  /** Rejects only when `signal` is aborted. The engine enforces the expiry, not the approver. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalReply>;
}

export interface ApprovalReply {
  readonly answer: ApprovalAnswer;
  /** Called once the answer is in effect: it has been saved, and other approvals that it settles are closed. */
  readonly inEffect?: () => void;
}

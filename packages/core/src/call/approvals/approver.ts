import type { ApprovalAnswer, ApprovalRequest } from "../../domain/approval.ts";

/** Asks whoever decides at this door. Headless doors answer deny at once. */
export interface Approver {
  /** So many questions wait that another would not be seen; such a call is refused instead. Absent: never. */
  isFull?(): boolean;
  /** Rejects only when `signal` is aborted. The engine enforces the expiry, not the approver. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalReply>;
}

export interface ApprovalReply {
  readonly answer: ApprovalAnswer;
  /** To be called once the answer counts: it is remembered, and other questions that it settles are gone. */
  readonly inEffect?: () => void;
}

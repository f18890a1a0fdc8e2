import type { ApprovalMode, IncludeMode } from "./approval.ts";

/** A saved assistant: instructions, a model, a choice of tools, and who decides about calls (S1.33). */
export interface Gpt {
  /** Unique; what people type after --gpt. */
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  /** The model's name; the default model when absent. */
  readonly model?: string;
  /** Keys of the servers it may use; every server when absent. */
  readonly servers?: readonly string[];
  /** Single tools by `server:tool`: when they are part of a request, or never. */
  readonly tools: Readonly<Record<string, IncludeMode | "off">>;
  readonly approval: ApprovalMode;
  /** `server:tool`; a bare name counts only while one tool has it (D.22). */
  readonly trustedTools: readonly string[];
}

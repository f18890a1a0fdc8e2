import type { ApprovalMode } from "@tacklebox/core";
import type { CommonOptions } from "../command-options.ts";

export interface ChatOptions extends CommonOptions {
  readonly gpt: string | undefined;
  readonly model: string | undefined;
  readonly session: string | undefined;
  readonly approve: ApprovalMode | undefined;
  /** False with --no-color. */
  readonly colour: boolean;
  readonly metricsPort: number | undefined;
}

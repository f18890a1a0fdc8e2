import type { HiddenTool, RegisteredTool } from "../domain/tool.ts";

/** A tool that is registered but has no name for models yet. */
export type ToolCandidate = Omit<RegisteredTool, "shownName">;

/** One line for the log. `key` identifies the fact, so that it is logged once per change and not once per rebuild. */
export interface Notice {
  readonly key: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
  /** The server it is about, if it is about one of its tools. */
  readonly server?: string;
}

/** Something the configuration forbids: fatal when a toolbox starts, only logged when it comes up later. */
export interface Violation {
  readonly kind: "strict-violation" | "local-unconfigured" | "misconfigured";
  readonly server: string;
  readonly tool: string;
  readonly text: string;
}

export interface Registration {
  readonly candidates: readonly ToolCandidate[];
  readonly hidden: readonly HiddenTool[];
  readonly notices: readonly Notice[];
  readonly violations: readonly Violation[];
}

import type { EngineConfig } from "../../engine-host.ts";
import type { Report } from "../document/report.ts";
import type { Environment } from "../fill-variables.ts";

/**
 * The shapes a config file may have: our own, S4's `myai.toolbox`, S2's `tools.mcp_servers`,
 * and the JSON that Claude, Cursor, VS Code, Zed and others share.
 */
export type Dialect = "native" | "toolbox" | "gateway" | "mcp-servers";

export interface ReadContext {
  /** Named where something says where it came from. */
  readonly file: string;
  readonly env: Environment;
  readonly report: Report;
}

/** Turns the root of a file into a configuration. What is wrong goes to the report. */
export type DialectReader = (root: Readonly<Record<string, unknown>>, context: ReadContext) => EngineConfig;

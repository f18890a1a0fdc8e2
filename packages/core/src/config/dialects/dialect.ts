import type { EngineConfig } from "../../engine-host.ts";
import type { Report } from "../document/report.ts";
import type { Environment } from "../fill-variables.ts";

/**
 * The shapes a config file may have: our own, a toolbox's `myai.toolbox`, a gateway's `tools.mcp_servers`,
 * and the JSON that Claude, Cursor, VS Code, Zed and others share.
 */
export type Dialect = "native" | "toolbox" | "gateway" | "mcp-servers";

export interface ReadContext {
  /** The file's name, for definitions that record where they came from. */
  readonly file: string;
  readonly env: Environment;
  readonly report: Report;
}

/** Turns the root of a file into a configuration. Problems go to the report. */
export type DialectReader = (root: Readonly<Record<string, unknown>>, context: ReadContext) => EngineConfig;
